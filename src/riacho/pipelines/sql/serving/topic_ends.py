"""Where topics end, asked of the brokers once for all who ask at a time.

Each caller gets an answer to a question that was asked after he came: that is what lets him read his own writes. While
one question is on its way, those who come share the next.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

Ends = Mapping[int, int]


class TopicEnds:
    """`ask` is called with a topic and how many partitions it has."""

    def __init__(self, ask: Callable[[str, int], Awaitable[Ends]]) -> None:
        self._ask = ask
        self._next: dict[tuple[str, int], asyncio.Task[Ends]] = {}
        self._asked: dict[tuple[str, int], asyncio.Task[Ends]] = {}

    async def of(self, topic: str, partitions: int) -> Ends:
        """KsqlError as `ask` raises it."""
        wanted = (topic, partitions)
        question = self._next.get(wanted)
        if question is None:
            before = self._asked.get(wanted)
            question = self._next[wanted] = asyncio.create_task(self._answer(wanted, before))
        # One caller who goes away does not take the answer from the others.
        return await asyncio.shield(question)

    async def _answer(self, wanted: tuple[str, int], before: asyncio.Task[Ends] | None) -> Ends:
        if before is not None:
            await asyncio.wait([before])
        question = self._asked[wanted] = self._next.pop(wanted)
        try:
            return await self._ask(*wanted)
        finally:
            if self._asked.get(wanted) is question:
                del self._asked[wanted]
