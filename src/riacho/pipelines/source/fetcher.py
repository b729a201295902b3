"""One task's fetches: the batches of a range of offsets, from whichever broker leads the partition by then.

The next fetch is out while the last one is decoded: one request in flight, so at most two answers are held. The first
is small, and from then on each asks for about as many bytes as the rest of the range takes, up to the fetch size.

A leader that moves, a broker that goes: asked again, with growing pauses, for up to `kafkaConsumer.pollTimeoutMs`
without progress; at once where it was only what an earlier task had known. Offsets that are no longer there are a loss
of data, see `failOnDataLoss`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import cast

from riacho.base.backoff import Backoff
from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import error_of
from riacho.client.offsets import EARLIEST, LATEST, list_offsets
from riacho.pipelines.source.cluster_pool import Leader, PooledCluster
from riacho.pipelines.source.committed import readable
from riacho.pipelines.source.offset_reader import GONE, SourceError, sentence
from riacho.pipelines.source.options import SourceOptions
from riacho.pipelines.source.record_columns import Placed
from riacho.pipelines.source.splits import OffsetRange
from riacho.wire.batch import Buffer, crc_is_valid, iterate_headers
from riacho.wire.messages.fetch_request import FetchPartition, FetchRequest, FetchTopic
from riacho.wire.messages.fetch_response import FetchResponse, PartitionData

_FIRST_SIZE_BYTES = 1024 * 1024
_SIZE_BYTES_MIN = 64 * 1024
_MAGIC = 2
# How long a topic may be unknown before it counts as deleted: brokers do not all learn of one at the same time.
_GONE_MS = 5_000
_BACKOFF = Backoff(50, 1_000)


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer's bytes, and the batches in them that hold records to be seen, from the offset asked for on."""

    start: int
    buffer: Buffer
    batches: list[Placed]


class LossError(SourceError):
    """Records were deleted before they were read."""


class Fetcher:
    def __init__(
        self,
        options: SourceOptions,
        wanted: OffsetRange,
        pooled: PooledCluster,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._options = options
        self._range = wanted
        self._clock = clock
        self._sleep = sleep
        self._cluster = pooled.cluster
        self._pooled = pooled
        self._key = (wanted.topic, wanted.partition)
        # Whether the leader is what an earlier task had found, and this one has had no answer from it yet.
        self._is_remembered = self._key in pooled.leaders
        self._topic_id, self._source_id = pooled.leaders.get(self._key, Leader(b"", -1))
        self._size_bytes = min(_FIRST_SIZE_BYTES, options.fetch_size_bytes_max)
        self._position = wanted.start

    @property
    def _name(self) -> str:
        return f"{self._range.topic}-{self._range.partition}"

    def fetched(self) -> Iterator[Fetched]:
        """Every answer of the range, in order. SourceError in one sentence when it cannot be read to its end."""
        with ThreadPoolExecutor(1, "fetch") as ahead:
            answer = ahead.submit(self._next)
            while (found := answer.result()) is not None:
                # The position has moved on: the next answer is on its way while the caller decodes this one.
                answer = ahead.submit(self._next)
                if found.batches:
                    yield found

    # --- one answer

    def _next(self) -> Fetched | None:
        """The next answer that brings the range forward; None at its end."""
        started = self._clock()
        pauses = _BACKOFF.pauses_ms()
        while self._position < self._range.end:
            waited_ms = (self._clock() - started) * 1000
            try:
                data = self._ask()
                code = error_of(data.error_code)
                if code is ErrorCode.NONE:
                    found = self._take(data)
                    if found is not None:
                        self._is_remembered = False
                        return found
                    if waited_ms > self._options.poll_timeout_ms:
                        raise SourceError(self._too_late())
                    if self._is_remembered:
                        self._forget()
                    continue
                if code is ErrorCode.OFFSET_OUT_OF_RANGE and not self._is_remembered:
                    if not self._skip_lost():
                        return None
                    continue
                raise KafkaError(code, f"{self._name} cannot be read: {code.name}")
            except KafkaError as error:
                if self._is_remembered:
                    self._forget()
                    started = self._clock()
                    continue
                if error.code in GONE and waited_ms > _GONE_MS:
                    self._lose(f"Partition {self._name} does not exist any more")
                    return None
                if not error.code.retriable or waited_ms > self._options.poll_timeout_ms:
                    raise SourceError(sentence(error)) from None
                self._source_id = -1
            self._sleep(next(pauses) / 1000)
        return None

    def _ask(self) -> PartitionData:
        if self._source_id < 0:
            self._find_leader()
        partition = FetchPartition(
            partition=self._range.partition, fetch_offset=self._position, partition_max_bytes=self._size_bytes
        )
        request = FetchRequest(
            max_wait_ms=self._options.fetch_wait_ms_max,
            min_bytes=1,
            max_bytes=self._size_bytes,
            isolation_level=int(self._options.committed_only),
            topics=[FetchTopic(topic=self._range.topic, topic_id=self._topic_id, partitions=[partition])],
            rack_id=self._options.rack,
        )
        response = self._cluster.ask(request, FetchResponse, self._cluster.broker(self._source_id))
        code = error_of(response.error_code)
        if code is not ErrorCode.NONE:
            raise KafkaError(code, f"{self._name} cannot be read: {code.name}")
        for topic in response.responses:
            for data in topic.partitions:
                return data
        return PartitionData()

    def _forget(self) -> None:
        """The leader has moved, or the connection to it has died: begin as if nothing was known."""
        self._pooled.close()
        self._source_id = -1
        self._is_remembered = False

    def _find_leader(self) -> None:
        for topic in self._cluster.metadata([self._range.topic]).topics:
            code = error_of(topic.error_code)
            if code is not ErrorCode.NONE:
                raise KafkaError(code, f"Topic '{self._range.topic}' cannot be read: {code.name}")
            for partition in topic.partitions:
                if partition.partition_index != self._range.partition:
                    continue
                if partition.leader_id < 0:
                    raise KafkaError(ErrorCode.LEADER_NOT_AVAILABLE, f"Partition {self._name} has no leader")
                self._topic_id, self._source_id = topic.topic_id, partition.leader_id
                self._pooled.learn(self._key, Leader(topic.topic_id, partition.leader_id))
                return
        raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"Partition {self._name} does not exist")

    # --- what came

    def _take(self, data: PartitionData) -> Fetched | None:
        """What an answer holds; None when it brought nothing new."""
        if data.preferred_read_replica >= 0 and not data.records:
            # The leader names a replica in the client's own rack (KIP-392).
            self._source_id = data.preferred_read_replica
            self._is_remembered = False
            return None
        buffer = cast(Buffer, data.records or b"")
        placed = [Placed(position, header) for position, header in iterate_headers(buffer)]
        if not placed:
            if len(buffer):
                self._size_bytes *= 2
            return None
        for batch in placed:
            self._check(buffer, batch)
        after = placed[-1].header.next_offset
        if after <= self._position:
            return None
        self._adjust_size(len(buffer), after - placed[0].header.base_offset, after)
        batches = [
            b for b in placed if b.header.last_offset >= self._position and b.header.base_offset < self._range.end
        ]
        aborted = data.aborted_transactions if self._options.committed_only else None
        found = Fetched(self._position, buffer, readable(buffer, batches, aborted))
        self._position = after
        return found

    def _check(self, buffer: Buffer, batch: Placed) -> None:
        if batch.header.magic != _MAGIC:
            raise SourceError(f"Partition {self._name} has a batch of format {batch.header.magic}, which is not read.")
        if self._options.check_crcs and not crc_is_valid(buffer, batch.position, batch.header):
            raise SourceError(f"The batch at offset {batch.header.base_offset} of {self._name} fails its checksum.")

    def _adjust_size(self, size_bytes: int, offsets: int, after: int) -> None:
        rest = max(self._range.end - after, 0)
        wanted = int(rest * size_bytes / max(offsets, 1) * 1.1) + _SIZE_BYTES_MIN
        self._size_bytes = min(wanted, self._options.fetch_size_bytes_max)

    # --- what is lost

    def _skip_lost(self) -> bool:
        """Go on at the first offset that is left, if that is in the range and losing the others is allowed."""
        earliest = list_offsets(self._cluster, {self._key: EARLIEST})[self._key].offset
        latest = list_offsets(self._cluster, {self._key: LATEST})[self._key].offset
        if earliest <= self._position < latest:
            return True  # it has come back, or the replica asked was behind
        self._lose(
            f"Offsets {self._position} to {self._range.end} of {self._name} are not all there any more, "
            f"since the partition now holds {earliest} to {latest}"
        )
        if self._position < earliest < self._range.end:
            self._position = earliest
            return True
        return False

    def _lose(self, what: str) -> None:
        if self._options.fail_on_data_loss:
            raise LossError(f"{what}; set the option 'failOnDataLoss' to false to read on with what is left.")

    def _too_late(self) -> str:
        return (
            f"No record at or after offset {self._position} of {self._name} came within "
            f"{self._options.poll_timeout_ms} ms, though the read goes up to offset {self._range.end}."
        )
