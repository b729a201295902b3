"""How many of a kind may be under way at a time; one more is refused in a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from riacho.web.errors import ApiError

SCANS_MAX = 16
EXPORTS_MAX = 4
WHOLES_MAX = 16
TAILS_MAX = 1_000


class Limit:
    def __init__(self, count_max: int, what: str) -> None:
        self.count = 0
        self._count_max = count_max
        self._what = what

    def check(self) -> None:
        """ApiError 429: for who still can be answered so."""
        if self.count >= self._count_max:
            message = f"{self._count_max} {self._what} already; stop one, or try again later."
            raise ApiError(429, 42901, message, headers={"Retry-After": "2"})

    @contextmanager
    def taken(self) -> Iterator[None]:
        """For an answer that has begun, after `check`: it is not refused any more."""
        self.count += 1
        try:
            yield
        finally:
            self.count -= 1
