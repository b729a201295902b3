"""Colours of SQL while it is typed: keywords, strings, quoted names, numbers and comments, in linear time."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.lexers import Lexer

from riacho.pipelines.sql.parsing.keywords import KEYWORDS, UNITS
from riacho.pipelines.sql.parsing.scanner import pieces

# The classes that themes for Pygments have, and colours of our own for who has no theme.
_KEYWORD = "class:sql.keyword ansiblue bold"
_STRING = "class:sql.string ansigreen"
_NAME = "class:sql.name ansicyan"
_NUMBER = "class:sql.number ansimagenta"
_COMMENT = "class:sql.comment ansibrightblack italic"
_VARIABLE = "class:sql.variable ansiyellow"
_STYLES = {
    "STRING": _STRING,
    "QUOTED": _NAME,
    "FLOAT": _NUMBER,
    "DECIMAL": _NUMBER,
    "INTEGER": _NUMBER,
    "VARIABLE": _VARIABLE,
}
_OPEN = {"'": _STRING, "`": _NAME, '"': _NAME, "/*": _COMMENT}
_WORDS = frozenset({*KEYWORDS, *UNITS})
# A longer text is shown as it is.
_CHARACTERS_MAX = 200_000


class SqlLexer(Lexer):
    def lex_document(self, document: Document) -> Callable[[int], StyleAndTextTuples]:
        lines = coloured_lines(document.text)
        return lambda number: lines[number] if 0 <= number < len(lines) else []


def coloured_lines(text: str) -> list[StyleAndTextTuples]:
    lines: list[StyleAndTextTuples] = [[]]
    for style, part in _coloured(text):
        first, *others = part.split("\n")
        if first:
            lines[-1].append((style, first))
        lines.extend([(style, each)] if each else [] for each in others)
    return lines


def _coloured(text: str) -> Iterator[tuple[str, str]]:
    if len(text) > _CHARACTERS_MAX:
        yield "", text
        return
    for kind, value, start in pieces(text):
        if kind == "OPEN":
            # What was begun and not ended is taken for that up to the end.
            yield _OPEN[value], text[start:]
            return
        if kind == "NAME":
            yield (_KEYWORD if value.upper() in _WORDS else ""), value
        elif kind == "BLANK":
            yield ("" if value.isspace() else _COMMENT), value
        else:
            yield _STYLES.get(kind, ""), value
