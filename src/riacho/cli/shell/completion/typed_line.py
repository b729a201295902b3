"""A line up to the cursor, taken apart though it is not finished: by the rules of `cli/shell/line.py`."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field

from riacho.cli.shell.line import operator_at

# Nobody waits for the completion of a text that was pasted.
CHARACTERS_MAX = 10_000
_BLANKS = " \t\r\n"


@dataclass(slots=True)
class TypedLine:
    """`words` of the command at the cursor that are complete, and `word`, which is being typed: without its quotes,
    from `start` on, `quote` still open. `after`: the sign in front of it, `|` or one of a redirection."""

    words: list[str] = field(default_factory=list)
    word: str = ""
    start: int = 0
    quote: str = ""
    after: str = ""
    is_behind_pipe: bool = False


def typed_line(text: str) -> TypedLine:
    line = TypedLine()
    at = 0
    while at < len(text):
        if text[at] in _BLANKS or text.startswith("\\\n", at):
            at += 2 if text[at] == "\\" else 1
            continue
        operator = operator_at(text, at, is_word_start=True)
        if operator is not None:
            at += len(operator)
            _begin_behind(line, operator)
            continue
        begin = at
        word, quote, at = _word(text, at)
        if at == len(text):
            line.word, line.start, line.quote = word, begin, quote
            return line
        if line.after in ("", "|"):
            line.words.append(word)
        line.after = ""
    line.start = len(text)
    return line


def _begin_behind(line: TypedLine, operator: str) -> None:
    if operator in ("|", ";"):
        line.words = []
        line.is_behind_pipe = line.is_behind_pipe or operator == "|"
    # `2>&1` names no file.
    line.after = "" if operator in (";", "2>&1") else operator


def _word(text: str, at: int) -> tuple[str, str, int]:
    """A word, the quote that is open at the text's end, and where it ends."""
    parts: list[str] = []
    quote = ""
    while at < len(text):
        character = text[at]
        if quote:
            if character == quote:
                quote = ""
            elif character == "\\" and quote == '"' and text[at + 1 : at + 2] in ('"', "\\"):
                at += 1
                parts.append(text[at])
            else:
                parts.append(character)
        elif character in "'\"":
            quote = character
        elif character == "\\":
            at += 1
            parts.append(text[at : at + 1])
        elif character in _BLANKS or operator_at(text, at, is_word_start=False) is not None:
            break
        else:
            parts.append(character)
        at += 1
    return "".join(parts), quote, min(at, len(text))


def quoted(word: str, quote: str = "") -> str:
    """A word as it is typed, in quotes where it needs them or has begun with one."""
    if quote == "'":
        return "'" + word.replace("'", "'\\''") + "'"
    if quote == '"':
        return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if word.startswith("~/"):
        # In quotes it would be a directory of that name.
        return "~/" + (shlex.quote(word[2:]) if word[2:] else "")
    return shlex.quote(word) if word else ""
