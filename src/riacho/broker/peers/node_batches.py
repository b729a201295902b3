"""Things to send to other brokers, one batch in flight for each: what comes meanwhile makes the next batch."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

Item = TypeVar("Item")

_logger = logging.getLogger("riacho.transactions")


class NodeBatches(Generic[Item]):
    """`send(node_id, items)` deals with its failures itself; whatever it raises is logged and the items are lost."""

    def __init__(self, send: Callable[[int, list[Item]], Awaitable[None]], size_max: int) -> None:
        self._send = send
        self._size_max = size_max
        self._queues: dict[int, list[Item]] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}

    def add(self, node_id: int, item: Item) -> None:
        self._queues.setdefault(node_id, []).append(item)
        if node_id not in self._tasks:
            self._tasks[node_id] = asyncio.get_running_loop().create_task(self._drain(node_id))

    def take_back(self) -> list[Item]:
        """What is not under way yet."""
        waiting = [item for queue in self._queues.values() for item in queue]
        self._queues.clear()
        return waiting

    def close(self) -> None:
        self._queues.clear()
        for task in self._tasks.values():
            task.cancel()

    async def _drain(self, node_id: int) -> None:
        try:
            while queue := self._queues.pop(node_id, None):
                batch, rest = queue[: self._size_max], queue[self._size_max :]
                if rest:
                    self._queues[node_id] = rest
                try:
                    await self._send(node_id, batch)
                except Exception:
                    _logger.exception("batch lost node_id=%d items=%d", node_id, len(batch))
        finally:
            del self._tasks[node_id]
