"""How often a caller may do what costs us more than it costs the caller: a number at once, and so many a second.

Time is an argument. What is earned by honest work comes on top: frames that usually go along with a request or with
the data of an answer are paid for by it.
"""

from __future__ import annotations


class Allowance:
    def __init__(self, at_once: int, per_second: float, now_s: float) -> None:
        self._at_once = float(at_once)
        self._per_second = per_second
        self._left = self._at_once
        self._seen_s = now_s

    def earn(self, count: int) -> None:
        self._left = min(self._left + count, self._at_once)

    def spend(self, count: int, now_s: float) -> bool:
        """Whether there was enough of it left."""
        refilled = self._left + (now_s - self._seen_s) * self._per_second
        self._seen_s = now_s
        self._left = min(refilled, self._at_once) - count
        return self._left >= 0
