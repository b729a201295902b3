"""One partition's fetches: the answers of a range of offsets, from whichever broker leads it by then.

The next fetch is out while the last one is looked at. A leader that moves, a broker that goes: asked again a few times,
with growing pauses; offsets that retention took meanwhile are passed over.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from typing import NamedTuple, cast

from riacho.base.backoff import Backoff
from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import error_of
from riacho.console.messages.brokers import Brokers
from riacho.console.messages.ranges import TopicPlace
from riacho.wire.batch import HEADER_SIZE_BYTES, Buffer, iterate_headers
from riacho.wire.messages.fetch_request import FetchPartition, FetchRequest, FetchTopic
from riacho.wire.messages.fetch_response import AbortedTransaction, PartitionData

FETCH_BYTES_MAX = 4 * 1024 * 1024
FETCH_BYTES_MIN = 64 * 1024
_WAIT_MS = 250
_TRIES_MAX = 5
_EMPTY_MAX = 4
_BACKOFF = Backoff(100, 1_000)

# Where the topic is now; KafkaError, ApiError where that cannot be told.
FindTopic = Callable[[], Awaitable[TopicPlace]]


class Fetched(NamedTuple):
    """An answer's bytes, from the offset asked for on. `next_offset` is where the next fetch begins."""

    start: int
    next_offset: int
    buffer: Buffer
    aborted: list[AbortedTransaction] | None


class PartitionReader:
    def __init__(
        self,
        brokers: Brokers,
        place: TopicPlace,
        find: FindTopic,
        partition: int,
        *,
        committed_only: bool,
        fetch_bytes: int = FETCH_BYTES_MAX,
    ) -> None:
        self._brokers = brokers
        self._place = place
        self._find = find
        self._partition = partition
        self._committed_only = committed_only
        self._fetch_bytes = fetch_bytes
        self._fetch_bytes_max = fetch_bytes

    async def read(self, start: int, end: int, first_bytes: int | None = None) -> AsyncGenerator[Fetched, None]:
        """Every answer of the range, in order. KafkaError in one sentence when it cannot be read to its end."""
        if first_bytes is not None:
            self._fetch_bytes = min(first_bytes, self._fetch_bytes_max)
        ahead = asyncio.ensure_future(self._next(start, end)) if start < end else None
        try:
            while ahead is not None:
                found = await ahead
                ahead = None
                if found is None:
                    return
                if found.next_offset < end:
                    ahead = asyncio.ensure_future(self._next(found.next_offset, end))
                yield found
        finally:
            if ahead is not None:
                ahead.cancel()
                with suppress(asyncio.CancelledError, KafkaError):
                    await ahead

    async def _next(self, position: int, end: int) -> Fetched | None:
        """The next answer that brings the range forward; None where there is nothing more."""
        failures = empty = 0
        while position < end and empty < _EMPTY_MAX:
            try:
                data = await self._ask(position)
                code = error_of(data.error_code)
                if code is ErrorCode.OFFSET_OUT_OF_RANGE and data.log_start_offset > position:
                    position = data.log_start_offset
                    continue
                if code is not ErrorCode.NONE:
                    raise KafkaError(code, f"The broker answered {code.name}")
                found = self._taken(data, position)
                if found is not None:
                    return found
                empty += 1
            except KafkaError as error:
                failures += 1
                if not error.code.retriable or failures >= _TRIES_MAX:
                    reason = error.detail.rstrip(".")
                    raise KafkaError(error.code, f"Partition {self._partition} cannot be read: {reason}.") from None
                await asyncio.sleep(_BACKOFF.pause_ms(failures) / 1000)
                self._place = await self._find()
        return None

    async def _ask(self, position: int) -> PartitionData:
        leader = self._place.leaders.get(self._partition)
        if leader is None:
            raise KafkaError(ErrorCode.LEADER_NOT_AVAILABLE, "it has no leader")
        wanted = FetchPartition(partition=self._partition, fetch_offset=position, partition_max_bytes=self._fetch_bytes)
        request = FetchRequest(
            max_wait_ms=_WAIT_MS,
            min_bytes=1,
            max_bytes=self._fetch_bytes,
            isolation_level=int(self._committed_only),
            topics=[FetchTopic(topic=self._place.topic, topic_id=self._place.topic_id, partitions=[wanted])],
        )
        response = await self._brokers.fetch(leader, request)
        code = error_of(response.error_code)
        if code is not ErrorCode.NONE:
            raise KafkaError(code, f"The broker answered {code.name}")
        return next((data for topic in response.responses for data in topic.partitions), PartitionData())

    def _taken(self, data: PartitionData, position: int) -> Fetched | None:
        buffer = cast(Buffer, data.records or b"")
        next_offset = position
        for _, header in iterate_headers(buffer):
            next_offset = header.next_offset
        if next_offset <= position:
            if len(buffer) > HEADER_SIZE_BYTES:
                # An old broker cuts a batch that is larger than what was asked for.
                self._fetch_bytes = min(self._fetch_bytes * 4, 1 << 30)
            return None
        self._fetch_bytes = min(self._fetch_bytes * 2, self._fetch_bytes_max)
        return Fetched(position, next_offset, buffer, data.aborted_transactions if self._committed_only else None)
