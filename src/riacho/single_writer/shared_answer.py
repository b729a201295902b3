"""One answer for all who ask at the same time: however many wait, two questions are under way at most."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class SharedAnswer(Generic[T]):
    """An answer counts for those who asked before its question was sent. Who comes later shares the next one."""

    def __init__(self, question: Callable[[], Awaitable[T]]) -> None:
        self._question = question
        self._one_at_a_time = asyncio.Lock()
        self._next: asyncio.Task[T] | None = None

    async def ask(self) -> T:
        if self._next is None:
            self._next = asyncio.create_task(self._send())
            self._next.add_done_callback(seen)
        return await asyncio.shield(self._next)

    async def _send(self) -> T:
        async with self._one_at_a_time:
            self._next = None
            return await self._question()


def seen(answered: asyncio.Task[T]) -> None:
    """Everybody may have gone meanwhile: a failure that nobody waits for is nobody's."""
    if not answered.cancelled():
        answered.exception()
