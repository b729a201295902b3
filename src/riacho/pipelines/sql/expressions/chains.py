"""Chains of one operator that are too long to be brackets in brackets: Spark's parser would run out of its stack."""

from __future__ import annotations

from collections.abc import Sequence

# Up to here a chain is written out, which Spark computes faster.
SHORT = 50


def folded(texts: Sequence[str], step: str) -> str:
    """Values of one type from the left: `step` is over _a, what there is so far, and _x, the next."""
    first, *others = texts
    return f"aggregate(array({', '.join(others)}), {first}, (_a, _x) -> {step})"
