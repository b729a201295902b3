"""SQL: keywords of the grammar, functions with their signatures, and what the server has, by what stands before."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from riacho.cli.shell.completion.offers import Answer, NameKind, Names, Offer
from riacho.cli.shell.completion.sql_properties import complete_value, is_property_next, properties

# Sources of a statement whose columns are asked for.
_SOURCES_MAX = 8
_REGISTRY = "riacho.pipelines.sql.functions.registry"
_WORD = re.compile(r"[\w`-]*\Z")
_TYPES = (
    "ARRAY", "BIGINT", "BOOLEAN", "BYTES", "DATE", "DECIMAL", "DOUBLE", "INT", "INTEGER", "MAP", "STRING", "STRUCT",
    "TIME", "TIMESTAMP", "VARCHAR",
)  # fmt: skip
# Behind these stands the name of a stream or a table, of a query, of a topic, of a connector.
_BEFORE_SOURCES = frozenset({"FROM", "JOIN", "INTO", "DESCRIBE"})
_BEFORE_QUERIES = frozenset({"TERMINATE", "PAUSE", "RESUME", "EXPLAIN"})
_CONDITIONS = frozenset({"IF", "EXISTS", "NOT", "REPLACE", "OR", "SOURCE", "EXTENDED", "ALL"})


class _Piece(NamedTuple):
    kind: str
    text: str

    @property
    def word(self) -> str:
        return self.text.upper() if self.kind == "NAME" else ""


class _Place(NamedTuple):
    """`before` is the text up to the word that is `typed`, `pieces` its last statement."""

    pieces: list[_Piece]
    before: str
    behind: str
    typed: str

    def whole(self) -> list[_Piece]:
        return [*self.pieces, *(_statement(self.behind.partition(";")[0]) or ())]


def sql_part(line: str) -> str | None:
    """The SQL of a line of the shell: all of one that begins as a statement does, what stands behind the word `sql`."""
    first, blank, rest = line.lstrip().partition(" ")
    if not blank:
        return None
    if first == "sql":
        return rest
    return line if first.isalpha() and first.upper() in _statement_words() else None


def complete_sql(text: str, names: Names, *, behind: str = "", is_prompt: bool = False) -> Answer:
    """At the end of `text`; what stands `behind` it may have the sources. `is_prompt`: the commands of KSQL's own
    prompt may stand there too."""
    found = _WORD.search(text)
    typed = found.group() if found is not None else ""
    before = text[: len(text) - len(typed)]
    pieces = _statement(before)
    if pieces is None:
        return complete_value(text, names)
    if typed.count("`") == 2:
        # A name that is complete.
        return Answer(typed)
    offers = list(_offers(_Place(pieces, before, behind, typed), names, is_prompt))
    return Answer(typed, [offer for offer in offers if offer.text != typed])


def statement_offers(typed: str) -> list[Offer]:
    """Words that begin a statement, in the case of what was typed."""
    return list(_in_case(sorted(_statement_words()), typed, "a statement of SQL"))


def function_help(text: str) -> str:
    """The function whose arguments stand at the cursor. Only once functions are known: it takes a second to load them,
    which who types would feel."""
    pieces = _statement(text) if _REGISTRY in sys.modules else None
    depth = 0
    for index in range(len(pieces or ()) - 1, 0, -1):
        assert pieces is not None
        depth += {")": 1, "(": -1}.get(pieces[index].text, 0)
        if depth < 0:
            name = pieces[index - 1].word
            return dict(_function_texts()).get(name, "")
    return ""


def _statement(text: str) -> list[_Piece] | None:
    """The pieces of the last statement up to the cursor; None where that is in a string or a comment."""
    from riacho.pipelines.sql.parsing.scanner import pieces

    found: list[_Piece] = []
    for kind, value, _ in pieces(text):
        if kind == "OPEN" and value != "`":
            return None
        if kind == "BLANK":
            if value.startswith("--") and text.endswith(value):
                return None
            continue
        if kind == "SIGN" and value == ";":
            found = []
        else:
            found.append(_Piece(kind, value))
    return found


def _offers(place: _Place, names: Names, is_prompt: bool) -> Iterator[Offer]:
    from riacho.pipelines.sql.parsing.expectation import keywords_of, next_terminals

    pieces, typed = place.pieces, place.typed
    if not pieces:
        yield from _in_case(sorted(_statement_words()), typed, "")
        if is_prompt:
            yield from _prompt_commands(typed)
        return
    if pieces[-1].text == ".":
        source = _aliases(place.whole()).get(_name(pieces[-2]) if len(pieces) > 1 else "")
        yield from _columns_of(source, typed, names)
        return
    terminals = next_terminals(place.before)
    if terminals is None:
        # What the grammar does not follow may be of a newer server.
        yield from _in_case(sorted(_keyword_set()), typed, "")
        return
    if "NAME" in terminals and is_property_next([piece.word or piece.text for piece in pieces]):
        yield from properties(typed)
    elif "NAME" in terminals:
        yield from _named(place, terminals, names)
    if "UNIT" in terminals:
        yield from _in_case(_units(), typed, "a unit of time")
    yield from _in_case(keywords_of(terminals), typed, "")


def _named(place: _Place, terminals: frozenset[str], names: Names) -> Iterator[Offer]:
    typed = place.typed
    kinds = _kinds_behind(place.pieces)
    if kinds is not None:
        for kind in kinds:
            yield from _matching(names.names(kind), typed)
    elif place.pieces[-1].word == "FUNCTION":
        yield from _functions(typed, "")
    elif "CASE" in terminals:
        # An expression.
        for source in list(dict.fromkeys(_aliases(place.whole()).values()))[:_SOURCES_MAX]:
            yield from _columns_of(source, typed, names)
        yield from _functions(typed, "(")
    elif "STRUCT" in terminals:
        yield from _in_case(_TYPES, typed, "a type")


def _kinds_behind(pieces: list[_Piece]) -> tuple[NameKind, ...] | None:
    """Of what the next word is the name, if it is one."""
    words = [piece.word for piece in pieces]
    last = next((word for word in reversed(words) if word not in _CONDITIONS), "")
    if last in _BEFORE_SOURCES and words[-1] != "IF":
        return (NameKind.STREAM, NameKind.TABLE)
    if last in _BEFORE_QUERIES:
        return (NameKind.QUERY,)
    if last == "PRINT":
        return (NameKind.TOPIC,)
    if words[0] in ("DROP", "ALTER", "DESCRIBE"):
        if last == "STREAM":
            return (NameKind.STREAM,)
        if last == "TABLE":
            return (NameKind.TABLE,)
        if last == "CONNECTOR":
            return (NameKind.CONNECTOR,)
    return None


def _aliases(pieces: list[_Piece]) -> dict[str, str]:
    """The sources behind FROM and JOIN, each by its name and by what the statement calls it."""
    found: dict[str, str] = {}
    for index, piece in enumerate(pieces[:-1]):
        if piece.word not in ("FROM", "JOIN", "INTO", "DESCRIBE"):
            continue
        source = _name(pieces[index + 1])
        if not source:
            continue
        found[source] = source
        behind = [each for each in pieces[index + 2 : index + 4] if each.word != "AS"][:1]
        if behind and _name(behind[0]) and behind[0].word not in _keyword_set():
            found[_name(behind[0])] = source
    return found


def _name(piece: _Piece) -> str:
    """As the server keeps it: in upper case, unless it is quoted."""
    if piece.kind == "NAME":
        return piece.text.upper()
    return piece.text[1:-1].replace("``", "`") if piece.kind == "QUOTED" else ""


def _columns_of(source: str | None, typed: str, names: Names) -> Iterator[Offer]:
    if source:
        yield from _matching(names.names(NameKind.COLUMN, source), typed)


def _matching(offers: Sequence[Offer], typed: str) -> Iterator[Offer]:
    """Names in upper case are found, and written, as they are typed."""
    for offer in offers:
        is_lower = typed.islower() and offer.text.isupper()
        yield Offer(offer.text.lower(), offer.about) if is_lower else offer


def _in_case(words: Sequence[str], typed: str, about: str) -> Iterator[Offer]:
    is_lower = typed.islower()
    for word in words:
        yield Offer(word.lower() if is_lower else word, about)


def _functions(typed: str, sign: str) -> Iterator[Offer]:
    is_lower = typed.islower()
    for name, about in _function_texts():
        yield Offer(f"{name.lower() if is_lower else name}{sign}", about)


def _prompt_commands(typed: str) -> Iterator[Offer]:
    from riacho.cli.ksql.commands import COMMANDS

    for name, command in COMMANDS.items():
        yield Offer(name.lower() if typed.islower() else name, command.about)


@cache
def _function_texts() -> tuple[tuple[str, str], ...]:
    """Each function's name, and its first signature with what it does."""
    from riacho.pipelines.sql.functions.aggregate_signatures import AGGREGATE_FUNCTIONS
    from riacho.pipelines.sql.functions.registry import REGISTRY
    from riacho.pipelines.sql.functions.wording import signature_text

    found = {}
    for name, aggregate in AGGREGATE_FUNCTIONS.items():
        found[name] = f"{signature_text(name, aggregate.signatures[0])}: an aggregate."
    for function in REGISTRY:
        found[function.name] = f"{signature_text(function.name, function.signatures[0])}: {function.about}"
    return tuple(sorted(found.items()))


@cache
def _units() -> tuple[str, ...]:
    from riacho.pipelines.sql.parsing.keywords import UNITS

    return tuple(sorted(UNITS))


@cache
def _keyword_set() -> frozenset[str]:
    from riacho.pipelines.sql.parsing.keywords import KEYWORDS

    return KEYWORDS


@cache
def _statement_words() -> frozenset[str]:
    from riacho.pipelines.sql.parsing.keywords import STATEMENT_WORDS

    return frozenset(STATEMENT_WORDS)
