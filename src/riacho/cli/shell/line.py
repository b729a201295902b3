"""What was typed, taken apart as a shell does: words, quotes, redirections, what stands behind the first `|`.

Nothing is expanded but a `~/` in front: no variables, no patterns, so `User:*` and `^ord.*` need no quotes. The rest of
a pipeline is not looked into; `/bin/sh` reads it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field

_BLANKS = " \t\r"
_OPERATORS = ("2>&1", "2>>", "2>", ">>", ">", "<", "|", ";")
# These begin a word's place only: `a2>b` writes `a2`, as in a shell.
_AT_WORD_START = ("2>&1", "2>>", "2>")


class LineError(Exception):
    """A line that cannot be taken apart; one sentence."""


@dataclass(frozen=True, slots=True)
class File:
    path: str
    is_appended: bool = False


@dataclass(slots=True)
class Line:
    """`rest` is what stands behind the first `|`, for /bin/sh; `errors` may be the output itself, by `2>&1`."""

    words: list[str] = field(default_factory=list)
    source: File | None = None
    output: File | None = None
    errors: File | None = None
    are_errors_joined: bool = False
    rest: str | None = None


def parse_line(text: str) -> Line:
    """LineError where a quote or a redirection is not finished."""
    line = Line()
    at = 0
    while True:
        at = _behind_blanks(text, at)
        if at >= len(text):
            break
        operator = operator_at(text, at, is_word_start=True)
        if operator == "|":
            line.rest = text[at + 1 :].strip()
            if not line.rest or not line.words:
                raise LineError("A pipe needs a command on both sides of its '|'.")
            break
        if operator == "2>&1":
            line.are_errors_joined = True
            at += len(operator)
        elif operator is not None and operator != ";":
            path, at = _path_behind(text, at + len(operator), operator)
            _redirect(line, operator, path)
        elif operator is not None:
            raise LineError("One command at a time: ';' has to be quoted here.")
        else:
            word, at = word_at(text, at)
            line.words.append(word)
    return line


def operator_at(text: str, at: int, *, is_word_start: bool) -> str | None:
    for operator in _OPERATORS:
        if text.startswith(operator, at) and (is_word_start or operator not in _AT_WORD_START):
            return operator
    return None


def word_at(text: str, at: int) -> tuple[str, int]:
    """A word without its quotes, and where it ends."""
    parts: list[str] = [] if not text.startswith("~/", at) else [os.path.expanduser("~")]
    at += len(parts)
    while at < len(text) and text[at] not in _BLANKS + "\n" and operator_at(text, at, is_word_start=False) is None:
        character = text[at]
        if character in "'\"":
            quoted, at = _quoted(text, at)
            parts.append(quoted)
        elif character == "\\":
            # A backslash in front of the line's end joins it with the next one.
            following = text[at + 1 : at + 2]
            parts.append("" if following == "\n" else following)
            at += 2
        else:
            parts.append(character)
            at += 1
    return "".join(parts), at


def _quoted(text: str, at: int) -> tuple[str, int]:
    quote = text[at]
    parts: list[str] = []
    at += 1
    while at < len(text):
        character = text[at]
        if character == quote:
            return "".join(parts), at + 1
        if quote == '"' and character == "\\" and text[at + 1 : at + 2] in ('"', "\\"):
            at += 1
            character = text[at]
        parts.append(character)
        at += 1
    raise LineError(f"A quote is not closed: {quote}.")


def _behind_blanks(text: str, at: int) -> int:
    while at < len(text) and (text[at] in _BLANKS + "\n" or text.startswith("\\\n", at)):
        at += 2 if text[at] == "\\" else 1
    return at


def _path_behind(text: str, at: int, operator: str) -> tuple[str, int]:
    path, at = word_at(text, _behind_blanks(text, at))
    if not path:
        raise LineError(f"'{operator}' needs a file behind it.")
    return path, at


def _redirect(line: Line, operator: str, path: str) -> None:
    file = File(path, is_appended=operator.endswith(">>"))
    if operator == "<":
        line.source = file
    elif operator.startswith("2"):
        line.errors = file
    else:
        line.output = file
