"""What Tab offers: words of the language, commands, and names of what the server has."""

from __future__ import annotations

import re
from collections.abc import Iterator

from riacho.cli.ksql.commands import COMMANDS
from riacho.cli.ksql.server import ServerError
from riacho.cli.ksql.session import Session
from riacho.pipelines.sql.parsing.keywords import KEYWORDS, UNITS
from riacho.pipelines.sql.printing.names import identifier_text

_WORD = re.compile(r"[\w`-]*$")
_TYPES = ("BIGINT", "BOOLEAN", "BYTES", "DATE", "DECIMAL", "DOUBLE", "INT", "STRING", "TIME", "TIMESTAMP", "VARCHAR")
# Where names are kept in the answers to these.
_ASKED = {
    "SHOW STREAMS;": "streams",
    "SHOW TABLES;": "tables",
    "SHOW QUERIES;": "queries",
    "SHOW FUNCTIONS;": "functions",
}
_TIMEOUT_S = 2.0


class Names:
    """The server's streams, tables, queries and functions; asked again when something may have changed."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._asked_at = -1
        self._known: list[str] = []

    def all(self) -> list[str]:
        if self._asked_at != self._session.changes:
            self._asked_at = self._session.changes
            self._known = sorted(set(self._ask()))
        return self._known

    def _ask(self) -> Iterator[str]:
        for statement, key in _ASKED.items():
            try:
                entities = self._session.server.statements(statement, {}, timeout_s=_TIMEOUT_S)
            except ServerError:
                # Completion never gets in the way.
                return
            for entity in entities:
                for each in entity.get(key) or ():
                    name = each.get("name") or each.get("id") if isinstance(each, dict) else None
                    if isinstance(name, str):
                        yield identifier_text(name)


def typed_word(text: str) -> str:
    found = _WORD.search(text)
    return found.group() if found is not None else ""


def completions(text: str, names: list[str]) -> list[str]:
    """What the last word of a text may become, in its case."""
    word = typed_word(text)
    if not word:
        return []
    is_first = not text[: len(text) - len(word)].strip()
    words = {*KEYWORDS, *UNITS, *_TYPES, *(COMMANDS if is_first else ())}
    keywords = sorted(each for each in words if each.startswith(word.upper()))
    shown = [each.lower() for each in keywords] if word.islower() else keywords
    matching = [name for name in names if name.upper().startswith(word.upper())]
    return [each for each in [*matching, *shown] if each != word]
