"""What Tab offers in `riacho shell`: commands, flags, values and names, and SQL where the line is that.

    ShellCompleter(names, is_fuzzy=..., is_in_sql=..., clusters=...)

It is called for every key, in a thread beside the prompt's (`ThreadedCompleter`): there it waits a moment for names
that were never heard yet, else it takes those that are known. The menu gets a few hundred offers at most.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import AnyFormattedText, StyleAndTextTuples

from riacho.cli.shell.completion.commands import Clusters, complete_line
from riacho.cli.shell.completion.fuzzy import Match, matches
from riacho.cli.shell.completion.live_names import LiveNames, printable
from riacho.cli.shell.completion.offers import Answer, NameKind, Offer
from riacho.cli.shell.completion.sql_words import complete_sql, sql_part
from riacho.cli.shell.completion.typed_line import CHARACTERS_MAX, quoted, typed_line

OFFERS_MAX = 300
_FIRST_ANSWER_S = 0.5


class ShellCompleter(Completer):
    def __init__(
        self,
        names: LiveNames,
        *,
        is_fuzzy: Callable[[], bool],
        is_in_sql: Callable[[], bool] = lambda: False,
        clusters: Clusters = lambda: (),
    ) -> None:
        self._names = _AwaitedNames(names)
        self._is_fuzzy = is_fuzzy
        self._is_in_sql = is_in_sql
        self._clusters = clusters

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        text = document.text_before_cursor
        if len(text) > CHARACTERS_MAX or text.startswith("!"):
            return
        statement = text if self._is_in_sql() else sql_part(text)
        if statement is not None:
            behind = document.text_after_cursor[:CHARACTERS_MAX]
            answer = complete_sql(statement, self._names, behind=behind, is_prompt=self._is_in_sql())
            yield from offered(answer, len(answer.typed), self._is_fuzzy(), str)
            return
        line = typed_line(text)
        answer = complete_line(line, self._names, self._clusters)
        head, quote = answer.head, line.quote

        def written(word: str) -> str:
            return quoted(head + word, quote)

        yield from offered(answer, len(text) - line.start, self._is_fuzzy(), written)


class _AwaitedNames:
    """Names that are not known yet, or that a command may have changed, are waited for a little, but never by the
    thread that reads the keys."""

    def __init__(self, names: LiveNames) -> None:
        self._names = names

    def names(self, kind: NameKind, of: str = "") -> Sequence[Offer]:
        known = self._names.names(kind, of)
        if threading.current_thread() is threading.main_thread() or self._names.is_answered(kind, of):
            return known
        self._names.wait(kind, of, _FIRST_ANSWER_S)
        return self._names.names(kind, of)


def offered(answer: Answer, replaced: int, is_fuzzy: bool, written: Callable[[str], str]) -> Iterable[Completion]:
    """The offers that match, each to replace so many characters before the cursor by what it is `written` as."""
    typed = answer.typed
    if is_fuzzy and typed:
        for match in matches(answer.offers, typed, OFFERS_MAX):
            yield _completion(match.offer, replaced, written, _marked(match, typed))
    else:
        for offer in answer.matching()[:OFFERS_MAX]:
            yield _completion(offer, replaced, written, offer.text)


def _completion(offer: Offer, replaced: int, written: Callable[[str], str], display: AnyFormattedText) -> Completion:
    return Completion(written(offer.text), -replaced, display=display, display_meta=printable(offer.about))


def _marked(match: Match, typed: str) -> StyleAndTextTuples:
    """With the letters that were typed as prompt_toolkit's styles mark them."""
    letters = set(match.letters(typed))
    return [
        ("class:fuzzymatch.inside.character" if index in letters else "class:fuzzymatch.outside", character)
        for index, character in enumerate(match.offer.text)
    ]
