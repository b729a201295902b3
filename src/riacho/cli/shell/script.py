"""A text of several commands, one by one: each ends with its line or a `;`, statements of SQL with their `;` alone.

In SQL everything is statements, and the commands of KSQL's own prompt by line, until `exit`.
"""

from __future__ import annotations

from riacho.cli.shell.line import LineError, operator_at, word_at
from riacho.pipelines.sql.parsing.keywords import STATEMENT_WORDS

_SQL_WORDS = frozenset(STATEMENT_WORDS)


def is_sql(text: str) -> bool:
    """Whether a line is a statement by itself: a word that begins one, and a semicolon at the end."""
    return begins_sql(text) and text.rstrip().endswith(";")


def begins_sql(text: str) -> bool:
    words = text.split(maxsplit=1)
    return bool(words) and words[0].upper().rstrip(";") in _SQL_WORDS


class Script:
    def __init__(self, text: str) -> None:
        self._text = text.replace("\r\n", "\n")
        self._at = 0

    def next_part(self, *, is_in_sql: bool = False) -> str | None:
        """A command or a statement, None behind the last; `is_in_sql` may be another than for the one before."""
        if not self._skip():
            return None
        if is_in_sql:
            return self._statement(is_any=True) or self._line()
        return self._statement() or self._command()

    def _skip(self) -> bool:
        """Over blanks, semicolons and comments; whether anything is left."""
        while self._at < len(self._text):
            if self._text[self._at] in " \t\n\r;":
                self._at += 1
            elif self._text[self._at] == "#":
                self._line()
            else:
                return True
        return False

    def _line(self) -> str:
        line, _, _ = self._text[self._at :].partition("\n")
        self._at += len(line)
        return line

    def _statement(self, *, is_any: bool = False) -> str | None:
        """A statement of SQL with its semicolon; None where there is none at this place."""
        rest = self._text[self._at :]
        if not begins_sql(rest) and not is_any:
            return None
        line = rest.partition("\n")[0]
        if is_any and _is_prompt_command(line):
            return self._line()
        end = _semicolon(rest)
        if end is None:
            return None
        self._at += end + 1
        return rest[: end + 1]

    def _command(self) -> str:
        if self._text[self._at] == "!":
            return self._line()
        begin = at = self._at
        while at < len(self._text) and self._text[at] != "\n":
            if self._text.startswith("\\\n", at):
                at += 2
            elif self._text[at] in " \t\r":
                at += 1
            elif (operator := operator_at(self._text, at, is_word_start=True)) is not None:
                if operator == ";":
                    break
                at += len(operator)
            else:
                at = self._behind_word(at)
        self._at = at
        return self._text[begin:at]

    def _behind_word(self, at: int) -> int:
        try:
            return word_at(self._text, at)[1]
        except LineError:
            # Told when it is run.
            return len(self._text)


def _is_prompt_command(line: str) -> bool:
    from riacho.cli.ksql.commands import find_command

    return find_command(line) is not None


def _semicolon(text: str) -> int | None:
    """Where a statement's semicolon is: not within quotes or a comment."""
    quote = ""
    at = 0
    while at < len(text):
        character = text[at]
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"`":
            quote = character
        elif text.startswith("--", at):
            end = text.find("\n", at)
            if end < 0:
                return None
            at = end
        elif text.startswith("/*", at):
            end = text.find("*/", at)
            if end < 0:
                return None
            at = end + 1
        elif character == ";":
            return at
        at += 1
    return None
