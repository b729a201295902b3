"""Versions of plugins as callers ask for them (KIP-891), in Maven's words: `1.0`, `latest`, `[1.0,2.0)`, `(,1.0]`."""

from __future__ import annotations

import re

_RANGE = re.compile(r"([\[(])([^\[\](),]*)(?:(,)([^\[\](),]*))?([\])])")
Version = tuple[tuple[int, int | str], ...]


def fits(version: str, wanted: str) -> bool:
    """Whether it is the one, or within one of the ranges. A range that is none has nothing in it."""
    if wanted.lower() == "latest":
        return True
    if not wanted.startswith(("[", "(")):
        return _parsed(version) == _parsed(wanted)
    rest = _RANGE.sub("", wanted)
    return not rest.replace(",", "").strip() and any(_is_in(version, found) for found in _RANGE.finditer(wanted))


def _is_in(version: str, found: re.Match[str]) -> bool:
    opened, low, comma, high, closed = found.groups()
    mine = _parsed(version)
    if comma is None:
        return opened == "[" and closed == "]" and mine == _parsed(low)
    if low.strip() and not (mine >= _parsed(low) if opened == "[" else mine > _parsed(low)):
        return False
    return not high.strip() or (mine <= _parsed(high) if closed == "]" else mine < _parsed(high))


def _parsed(text: str) -> Version:
    """Numbers count as numbers, and before words; zeros at the end count for nothing."""
    parts = [part for part in re.split(r"[.\-]", text.strip().lower()) if part]
    parsed = [(1, int(part)) if part.isdecimal() and len(part) < 19 else (0, part) for part in parts]
    while parsed and parsed[-1] == (1, 0):
        parsed.pop()
    return tuple(parsed)
