"""An answer that is kept for a moment: lists that many pages ask for are asked for once.

Where asking fails, the last answer is given with why and how old it is; where there is none, the error is raised.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Generic, NamedTuple, TypeVar

from riacho.web.errors import ApiError

T = TypeVar("T")
# A service that does not answer is left alone for so long: those who wait in line would each wait for it anew.
_LEFT_ALONE_MS = 2_000


class Known(NamedTuple, Generic[T]):
    value: T
    as_of_ms: int
    # Why it is older than it should be.
    stale_reason: str | None


class Kept(Generic[T]):
    def __init__(
        self,
        ask: Callable[[], Awaitable[T]],
        keep_ms: int,
        clock_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        self._ask = ask
        self._keep_ms = keep_ms
        self._clock_ms = clock_ms
        self._known: Known[T] | None = None
        self._failure: ApiError | None = None
        # Until when what is known, or that asking failed, counts.
        self._until_ms = 0
        self._asking = asyncio.Lock()

    async def now(self) -> Known[T]:
        """ApiError where it cannot be asked and never could."""
        async with self._asking:
            if self._clock_ms() >= self._until_ms:
                await self._renew()
            if self._known is not None:
                return self._known
            assert self._failure is not None
            raise self._failure

    def forget(self) -> None:
        """After a change: the next one asks."""
        self._until_ms = 0

    async def _renew(self) -> None:
        try:
            value = await self._ask()
        except ApiError as error:
            self._failure = error
            # What is refused (4xx) is not old: it is not there.
            is_away = self._known is not None and error.status >= 500
            self._known = self._known._replace(stale_reason=error.message) if self._known and is_away else None
            self._until_ms = self._clock_ms() + _LEFT_ALONE_MS
        else:
            self._known = Known(value, self._clock_ms(), None)
            self._until_ms = self._clock_ms() + self._keep_ms
