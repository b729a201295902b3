"""How many of a kind may be under way at a time; one more is refused in a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from riacho.web.call import Call
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
        """ApiError 429."""
        if self.count >= self._count_max:
            message = f"{self._count_max} {self._what} already; stop one, or try again later."
            raise ApiError(429, 42901, message, headers={"Retry-After": "2"})

    def take(self, call: Call) -> None:
        """Until the call ends. ApiError 429. At once, and not when the answer begins: of many that come together, all
        would be let in."""
        self.check()
        self.count += 1
        call.at_end(self._leave)

    @contextmanager
    def taken(self) -> Iterator[None]:
        """ApiError 429."""
        self.check()
        self.count += 1
        try:
            yield
        finally:
            self.count -= 1

    def _leave(self) -> None:
        self.count -= 1
