"""How a line of a log tells what others chose, and how it is read again: `client_id=app`, `client_id="my app"`.

Clients choose most of it. Text that could be taken for something else, by an eye, a terminal or a program, stands in
quotes with every odd character escaped, so that nobody writes a field, a line or a colour of his own.
"""

from __future__ import annotations

import json
import re

# What peers choose may be longer than any name that exists.
TEXT_MAX = 300
_PLAIN = re.compile(r"[!#-<>-~]+")
_WORD = r'"(?:[^"\\]|\\.)*"|[^\s"]\S*'
_WORDS = re.compile(_WORD)
# From one to the next: what stands in quotes has no fields.
_FIELDS = re.compile(rf"(?:([a-z][a-z0-9_]*)=)?({_WORD})")


def field_value(text: str) -> str:
    """As a line of a log has it; `-` for nothing."""
    return quoted(text[:TEXT_MAX]) if text else "-"


def quoted(text: str) -> str:
    """In quotes where it needs them."""
    return text if _PLAIN.fullmatch(text) else json.dumps(text)


def words(line: str, count: int) -> list[str]:
    """The first of those that stand apart, quotes undone."""
    found = _WORDS.finditer(line)
    return [_unquoted(match[0]) for _, match in zip(range(count), found, strict=False)]


def fields(line: str) -> dict[str, str]:
    """Of names that come twice the first."""
    found: dict[str, str] = {}
    for match in _FIELDS.finditer(line):
        if match[1]:
            found.setdefault(match[1], _unquoted(match[2]))
    return found


def _unquoted(text: str) -> str:
    if not text.startswith('"'):
        return text
    try:
        return str(json.loads(text))
    except ValueError:
        return text
