"""Numbers as Java has them: integers that wrap, doubles that JSON cannot write."""

from __future__ import annotations

import math
from typing import Any


def wrapped(value: int, bits: int) -> int:
    """Two's complement overflow."""
    half = 1 << (bits - 1)
    return (value + half) % (1 << bits) - half


def as_double(value: Any) -> float:
    """A number, or "NaN", "Infinity", "-Infinity", or a decimal's text."""
    return float(value)


def double_json(value: float) -> float | str:
    if math.isfinite(value):
        return value
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"
