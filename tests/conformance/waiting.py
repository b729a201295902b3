"""Wait for a condition by asking again, with a deadline; never by sleeping and hoping."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def eventually(question: Callable[[], T | None], timeout_s: float = 15.0, interval_s: float = 0.05) -> T:
    """The first true answer; after the deadline an assertion that shows the last answer."""
    deadline = time.monotonic() + timeout_s
    while True:
        answer = question()
        if answer:
            return answer
        assert time.monotonic() < deadline, f"still {answer!r} after {timeout_s} s"
        time.sleep(interval_s)
