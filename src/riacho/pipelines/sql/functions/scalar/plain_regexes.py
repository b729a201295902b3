"""Which regular expressions are surely valid in Java, and how many groups they have.

Spark stops a query at a regular expression that Java refuses, where ksqlDB gives null. A literal whose parts mean the
same in Python and in Java is judged here; any other is compiled by Java, row by row, before it is used.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_ESCAPE = r"\\[dDwWsSbBtnr.\\*+?()\[\]{}|^$/\"'@:;,=!<>#%&~ -]"
_CLASS = rf"\[\^?(?:{_ESCAPE}|[^\[\]\\&^])+\]"
_REPEATED = r"(?:[*+?]|\{\d{1,3}(?:,\d{0,3})?\})\??(?![*+])"
# Nothing is tried twice: patterns are users', and this runs in the server.
_PLAIN = re.compile(rf"(?>(?:{_ESCAPE}|{_CLASS}|\((?!\?)|\(\?:|\)|{_REPEATED}|[^\\\[\](){{}}*+?])*)", re.ASCII)
LITERAL_LENGTH_MAX = 1_000


@dataclass(frozen=True, slots=True)
class PlainRegex:
    groups: int
    matches_empty: bool


@lru_cache(maxsize=256)
def plain_regex(pattern: str) -> PlainRegex | None:
    """None where nothing is sure."""
    if len(pattern) > LITERAL_LENGTH_MAX or not pattern.isascii() or _PLAIN.fullmatch(pattern) is None:
        return None
    try:
        compiled = re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return None
    return PlainRegex(compiled.groups, compiled.fullmatch("") is not None)


def is_plain_replacement(text: str, groups: int) -> bool:
    """Whether Java takes it as a replacement: every $ is a group's number, and nothing is escaped."""
    return "\\" not in text and all(
        found[1].isdigit() and int(found[1]) <= groups for found in re.finditer(r"\$(.?)", text, re.ASCII)
    )
