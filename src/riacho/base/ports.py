"""The doors through which the world enters. Real in production, seeded in a simulation; cores see only these shapes."""

from __future__ import annotations

from typing import Protocol


class Clock(Protocol):
    def now_ms(self) -> int:
        """Wall-clock time, as it goes into records."""
        ...

    def monotonic_ms(self) -> int:
        """Time that never goes back, for deadlines."""
        ...


class Rng(Protocol):
    def token(self, size_bytes: int) -> bytes:
        """Unpredictable bytes, for uuids and member ids."""
        ...
