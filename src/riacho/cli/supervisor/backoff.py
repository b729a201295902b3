"""How long to wait before a crashed child is started again: longer each time, short again once it has lived a while."""

from __future__ import annotations

FIRST_S = 0.2
LONGEST_S = 30.0
LIVED_S = 60.0


class Backoff:
    def __init__(self) -> None:
        self._next_s = FIRST_S

    def pause_after(self, lived_s: float) -> float:
        if lived_s >= LIVED_S:
            self._next_s = FIRST_S
        pause_s = self._next_s
        self._next_s = min(self._next_s * 2, LONGEST_S)
        return pause_s
