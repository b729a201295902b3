"""Tasks that an object started beside its calls, held until they end: the event loop itself holds them only weakly."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Tasks(Generic[T]):
    """Whoever starts them says what becomes of them at the end: cancelled, waited for, or both."""

    __slots__ = ("_running",)

    def __init__(self) -> None:
        self._running: set[asyncio.Task[T]] = set()

    def start(self, coroutine: Coroutine[Any, Any, T], *, name: str | None = None) -> asyncio.Task[T]:
        return self.add(asyncio.get_running_loop().create_task(coroutine, name=name))

    def add(self, task: asyncio.Task[T]) -> asyncio.Task[T]:
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    def cancel(self) -> None:
        for task in self:
            task.cancel()

    async def wait(self, timeout_s: float | None = None) -> None:
        """Until those that run now have ended, however they end, or the time is up."""
        if self._running:
            await asyncio.wait(tuple(self._running), timeout=timeout_s)

    def __len__(self) -> int:
        return len(self._running)

    def __iter__(self) -> Iterator[asyncio.Task[T]]:
        return iter(tuple(self._running))
