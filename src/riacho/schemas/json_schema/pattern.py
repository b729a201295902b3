"""Regular expressions of schemas: RE2 where it can, since its time grows with the text alone; Python's where it cannot.

JSON Schema asks for ECMAScript's, which RE2 is the nearer to (`\\d` is ten digits, `$` is the end, `\\p{L}` exists).
A registry may not refuse a schema for what RE2 has not. `\\u0041` is written otherwise for it; look-ahead at the
beginning, as in `^(?=.*[0-9])(?!root$)...`, is several searches for it. What is left, other look-around, back
references, long repetitions, goes to Python's engine, which may take for ever and would stop the whole service
meanwhile: only for patterns and texts of which the time is known beforehand (`python_pattern.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from riacho.base.errors import KafkaError
from riacho.base.pattern import compile_pattern
from riacho.schemas.json_schema.python_pattern import Search, python_search
from riacho.schemas.parsed import SchemaError

PATTERN_MEMORY_BYTES_MAX = 4 << 20  # what `[\\p{L}]{1,255}` asks for: classes of Unicode are large
PATTERN_LENGTH_MAX = 10_000

_UNICODE_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|.)", re.DOTALL)
_TOKEN = re.compile(r"\\.|\[\^?\]?(?>(?:\\.|[^\]\\]++)*)\]|[()|]", re.DOTALL)


@lru_cache(maxsize=256)
def searching(pattern: str) -> Search:
    """What finds it anywhere in a text: truthy when found. SchemaError when it is no regular expression. What is
    returned raises DataError for a text that would take too long."""
    if len(pattern) > PATTERN_LENGTH_MAX:
        raise SchemaError(f"A regular expression of {len(pattern)} characters, of {PATTERN_LENGTH_MAX} allowed")
    plain = _UNICODE_ESCAPE.sub(lambda found: f"\\x{{{found[1]}}}" if found[1] else found[0], pattern)
    return _re2(pattern) or _re2(plain) or _with_look_ahead(plain) or python_search(pattern)


def _re2(pattern: str) -> Search | None:
    try:
        return compile_pattern(pattern, PATTERN_MEMORY_BYTES_MAX, "pattern").search  # type: ignore[no-any-return]
    except (KafkaError, UnicodeEncodeError):
        return None


def _with_look_ahead(pattern: str) -> Search | None:
    """Of `^` and what must, and must not, follow there; None where it is anything else."""
    if not pattern.startswith("^("):
        return None
    conditions: list[tuple[Search, bool]] = []
    rest = pattern[1:]
    while rest.startswith(("(?=", "(?!")):
        end = _closing(rest)
        search = None if end is None else _re2(f"^(?:{rest[3:end]})")
        if end is None or search is None:
            return None
        conditions.append((search, rest[2] == "="))
        rest = rest[end + 1 :]
    search = _re2(f"^(?:{rest})")
    if not conditions or search is None or rest[:1] in ("*", "+", "?", "{") or _has_alternatives(rest):
        return None
    return _all(*conditions, (search, True))


def _all(*conditions: tuple[Callable[[str], Any], bool]) -> Search:
    return lambda text: all((search(text) is not None) is wanted for search, wanted in conditions)


def _closing(text: str) -> int | None:
    """Where the parenthesis that it begins with is closed."""
    depth = 0
    for found in _TOKEN.finditer(text):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if depth == 0:
            return found.start()
    return None


def _has_alternatives(text: str) -> bool:
    """Outside of parentheses: then `^` belongs to the first of them alone."""
    depth = 0
    for found in _TOKEN.finditer(text):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if found[0] == "|" and depth == 0:
            return True
    return False
