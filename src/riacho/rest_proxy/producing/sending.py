"""The records of one call that were given to the producer, and what became of each."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from confluent_kafka import KafkaError, Message

Report = Callable[[KafkaError | None, Message], None]


class Sending:
    """`outcomes` is in the order of the records: the delivered message, or the error; complete when `wait` returns.

    It is used again when all of that has been reported (`RecordProducer.recycle`): its reports, one for each record,
    are costly to make and the same each time.
    """

    __slots__ = ("_done", "_on_done", "_remaining", "failures", "outcomes", "reports", "size_bytes")

    def __init__(self, on_done: Callable[[Sending], None]) -> None:
        self.outcomes: list[Message | KafkaError] = []
        self.reports: list[Report] = []
        self.failures = 0
        self.size_bytes = 0
        self._remaining = 0
        self._on_done = on_done
        self._done: asyncio.Future[None] | None = None

    def begin(self, count: int, size_bytes: int) -> None:
        self.outcomes = [_PENDING] * count
        self.failures = 0
        self.size_bytes = size_bytes
        self._remaining = count
        self._done = None
        for index in range(len(self.reports), count):
            self.reports.append(partial(self.delivered, index))

    @property
    def is_done(self) -> bool:
        return self._remaining == 0

    def delivered(self, index: int, error: KafkaError | None, message: Message) -> None:
        """The producer's report; once for each record, in any order."""
        if error is None:
            self.outcomes[index] = message
        else:
            self.outcomes[index] = error
            self.failures += 1
        self._remaining -= 1
        if self._remaining == 0:
            self._finish()

    def refused(self, index: int, error: KafkaError) -> None:
        """The producer did not take the record."""
        self.outcomes[index] = error
        self.failures += 1
        self._remaining -= 1
        if self._remaining == 0:
            self._finish()

    def _finish(self) -> None:
        self._on_done(self)
        if self._done is not None and not self._done.done():
            self._done.set_result(None)

    def explain(self, reason: Callable[[KafkaError], KafkaError]) -> None:
        """What failed says the reason behind what it was told."""
        self.outcomes = [reason(each) if isinstance(each, KafkaError) else each for each in self.outcomes]

    async def wait(self) -> list[Message | KafkaError]:
        """May be given up; the records are on their way all the same. For one waiter."""
        if self._remaining:
            self._done = asyncio.get_running_loop().create_future()
            await self._done
        return self.outcomes


_PENDING = KafkaError(KafkaError._IN_PROGRESS, "The record is on its way.")
