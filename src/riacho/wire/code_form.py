"""Whether the hot modules run compiled or as they are written: the same source, the same answers, other costs."""

from __future__ import annotations

from riacho.wire import record_walk

COMPILED, PURE = "compiled", "pure Python"


def code_form() -> str:
    return PURE if record_walk.__file__.endswith(".py") else COMPILED
