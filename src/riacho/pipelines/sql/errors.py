"""What a statement is refused for. Every refusal is one of these, with a sentence for whoever wrote the statement."""

from __future__ import annotations

from typing import ClassVar


class KsqlError(Exception):
    """A statement that cannot be taken. `statement` is its text where it is known, which answers repeat. `code` is what
    clients get besides the sentence: 40001 is a bad statement."""

    code: ClassVar[int] = 40001

    def __init__(self, message: str, statement: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.statement = statement


class ParseError(KsqlError):
    """The text is no statement: `line` and `column` count from 1, as ksqlDB's messages do (`line 1:8: ...`)."""

    def __init__(self, message: str, line: int, column: int, statement: str | None = None) -> None:
        super().__init__(f"line {line}:{column}: {message}", statement)
        self.line = line
        self.column = column
