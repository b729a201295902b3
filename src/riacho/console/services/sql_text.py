"""SQL as far as the console looks into it: where statements end, what they begin with, what may be written down.

The server parses; this decides only what a role may send. Whatever it cannot read is taken for the more dangerous.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from riacho.web.errors import ApiError

TEXT_CHARACTERS_MAX = 200_000
_TOKEN = re.compile(
    r"""
    (?P<blank>\s+|--[^\n]*|/\*.*?\*/)
  | (?P<string>'[^']*(?:''[^']*)*')
  | (?P<quoted>`[^`]*(?:``[^`]*)*`|"[^"]*(?:""[^"]*)*")
  | (?P<word>\w+)
  | (?P<end>;)
  | (?P<open>['"`]|/\*)
  | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_VARIABLE = "${"
_ROWS = frozenset({"SELECT", "PRINT", "WITH"})


class SqlStatement(NamedTuple):
    """`words`: in upper case, without what is quoted."""

    text: str
    words: tuple[str, ...]
    # As it may be written down: without literals and comments.
    noted: str

    @property
    def answers_rows(self) -> bool:
        return self.words[:1] != () and self.words[0] in _ROWS

    @property
    def is_print(self) -> bool:
        return self.words[:1] == ("PRINT",)

    @property
    def needs_admin(self) -> bool:
        """What the console leaves to admins elsewhere too: connectors, topics that are deleted, the server's settings.
        A variable may stand for any of it."""
        pairs = set(zip(self.words, self.words[1:], strict=False))
        is_connector = self.words[:1] in (("CREATE",), ("DROP",)) and "CONNECTOR" in self.words[:6]
        changes_server = self.words[:2] == ("ALTER", "SYSTEM")
        return is_connector or ("DELETE", "TOPIC") in pairs or changes_server or _VARIABLE in self.text


def statements_of(text: str) -> list[SqlStatement]:
    """ApiError 400 where there is none, or one is not closed."""
    if len(text) > TEXT_CHARACTERS_MAX:
        raise ApiError(400, 40020, f"The SQL is longer than {TEXT_CHARACTERS_MAX} characters.")
    text = text.replace("\r\n", "\n")
    if "\r" in text:
        # Servers do not agree on whether a comment ends there.
        raise ApiError(400, 40020, "The SQL has a carriage return that ends no line.")
    found: list[SqlStatement] = []
    words: list[str] = []
    noted: list[str] = []
    start = 0
    for token in _TOKEN.finditer(text):
        kind, piece = token.lastgroup, token[0]
        if kind == "open":
            raise ApiError(400, 40020, f"The SQL has a {piece} that is not closed.")
        if kind == "end":
            _add(found, text[start : token.end()], words, noted)
            words, noted, start = [], [], token.end()
            continue
        if kind == "word":
            words.append(piece.upper())
        noted.append(" " if kind == "blank" else "'…'" if kind == "string" else piece)
    _add(found, text[start:], words, noted)
    if not found:
        raise ApiError(400, 40020, "There is no SQL to run.")
    return found


def one_statement(text: str) -> SqlStatement:
    """ApiError 400 where there are more."""
    found = statements_of(text)
    if len(found) > 1:
        raise ApiError(400, 40021, "Give one statement: there are several.")
    return found[0]


def _add(found: list[SqlStatement], text: str, words: list[str], noted: list[str]) -> None:
    summary = " ".join("".join(noted).split())
    if summary:
        found.append(SqlStatement(text.strip(), tuple(words), summary))


def quoted(name: str) -> str:
    """A name as an identifier that means itself."""
    return "`" + name.replace("`", "``") + "`"
