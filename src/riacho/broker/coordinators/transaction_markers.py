"""From a decided transaction to its markers: every partition gets one from its leader, however long that takes.

Theory of operation
-------------------
A transaction whose end is decided and committed is due: its partitions are sorted by leader, and each leader gets
what is due there in one WriteTxnMarkers, one request in flight at a time. A leader that is this broker is called
directly. What a leader confirms goes to the coordinator's shard; the last confirmation completes the transaction.
What it does not confirm is tried again, at the next image or after a pause, with the leader of then. A partition that
does not exist counts as done, once it was missing for a while: this broker's image may lag behind the coordinator's
log.

A coordinator partition that moves takes its transactions along: they are forgotten here, and the new coordinator finds
them in its log. A leader that knows of a newer coordinator or of a newer epoch of the producer says so; then the
transaction is not ours to end.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Protocol, TypeAlias

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.peers.node_batches import NodeBatches
from riacho.wire.messages.write_txn_markers_request import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)

if TYPE_CHECKING:
    from riacho.base.ports import Clock
    from riacho.broker.quorum.metadata_cache import MetadataCache
    from riacho.transactions.markers import MarkersDue
    from riacho.wire.messages.write_txn_markers_response import WritableTxnMarkerResult, WriteTxnMarkersResponse

TopicPartition = tuple[str, int]
# Told which markers are written; KafkaError when that cannot be taken in now.
OnWritten: TypeAlias = "Callable[[MarkersDue, Iterable[TopicPartition]], None]"

RETRY_PAUSE_MS = 100
_MISSING_MS_MAX = 1_000
_PARTITIONS_PER_REQUEST = 10_000
_TIMEOUT_MS = 35_000
# There is a newer coordinator, or the producer has moved on: not ours to end any more.
_FENCED = frozenset({ErrorCode.INVALID_PRODUCER_EPOCH, ErrorCode.TRANSACTION_COORDINATOR_FENCED})

_logger = logging.getLogger("riacho.transactions")


class Writer(Protocol):
    async def write(self, markers: list[WritableTxnMarker]) -> list[WritableTxnMarkerResult]: ...


class Leader(Protocol):
    async def send(self, request: WriteTxnMarkersRequest, *, timeout_ms: int) -> WriteTxnMarkersResponse: ...


class Leaders(Protocol):
    """Connections to the other brokers; KafkaError when nobody knows how one is reached."""

    def get(self, node_id: int) -> Leader: ...

    def close(self) -> None: ...


class _Pending:
    """A transaction with markers still to write."""

    __slots__ = ("coordinator_epoch", "due", "left", "missing_since_ms", "on_written", "partition", "unrecorded")

    def __init__(self, due: MarkersDue, partition: int, coordinator_epoch: int, on_written: OnWritten) -> None:
        self.due = due
        self.on_written = on_written
        # The coordinator's.
        self.partition = partition
        self.coordinator_epoch = coordinator_epoch
        self.left: set[TopicPartition] = set(due.partitions)
        # Written, and the coordinator's shard could not take it in yet.
        self.unrecorded: set[TopicPartition] = set()
        self.missing_since_ms: int | None = None


_Queued = tuple[_Pending, TopicPartition]


class TransactionMarkers:
    def __init__(self, node_id: int, metadata: MetadataCache, clock: Clock, writer: Writer, peers: Leaders) -> None:
        """`writer` takes the markers of partitions led here, `peers` bring the others to their leaders."""
        self._node_id = node_id
        self._metadata = metadata
        self._clock = clock
        self._writer = writer
        self._peers = peers
        self._batches: NodeBatches[_Queued] = NodeBatches(self._send, _PARTITIONS_PER_REQUEST)
        self._pending: dict[str, _Pending] = {}
        self._delayed: list[_Queued] = []
        self._timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self._pending)

    def add(self, due: MarkersDue, partition: int, coordinator_epoch: int, on_written: OnWritten) -> None:
        """A transaction's end is committed in the coordinator's partition."""
        pending = self._pending[due.transactional_id] = _Pending(due, partition, coordinator_epoch, on_written)
        if not pending.left:
            self._confirm(pending, set())
        for where in due.partitions:
            self._route(pending, where)

    def forget(self, partitions: Iterable[int]) -> None:
        """These partitions of the coordinator's topic are led by others now."""
        gone = set(partitions)
        self._pending = {each: pending for each, pending in self._pending.items() if pending.partition not in gone}

    def image_changed(self) -> None:
        """Leaders may have moved: what waits is sorted anew, also behind a request that the last leader may never
        answer."""
        self._delayed += self._batches.take_back()
        if self._delayed:
            self._retry()

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._pending.clear()
        self._batches.close()
        self._peers.close()

    # Sorting by leader

    def _is_current(self, pending: _Pending) -> bool:
        return self._pending.get(pending.due.transactional_id) is pending

    def _route(self, pending: _Pending, where: TopicPartition) -> None:
        state = self._metadata.image.partition(*where)
        if state is not None and state.leader >= 0:
            self._batches.add(state.leader, (pending, where))
        elif state is not None or not self._is_missed_enough(pending):
            self._delay(pending, where)
        else:
            _logger.info(
                "marker dropped transactional_id=%s partition=%s-%d: no such partition", *_name(pending, where)
            )
            self._confirm(pending, {where})

    def _is_missed_enough(self, pending: _Pending) -> bool:
        now_ms = self._clock.monotonic_ms()
        if pending.missing_since_ms is None:
            pending.missing_since_ms = now_ms
        return now_ms - pending.missing_since_ms >= _MISSING_MS_MAX

    def _delay(self, pending: _Pending, where: TopicPartition) -> None:
        self._delayed.append((pending, where))
        self._set_timer()

    def _set_timer(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(RETRY_PAUSE_MS / 1000, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        for pending in [each for each in self._pending.values() if each.unrecorded]:
            self._confirm(pending, set())
        self._retry()

    def _retry(self) -> None:
        delayed, self._delayed = self._delayed, []
        for pending, where in delayed:
            if self._is_current(pending):
                self._route(pending, where)

    # Sending

    async def _send(self, node_id: int, queued: list[_Queued]) -> None:
        wanted: dict[_Pending, list[TopicPartition]] = {}
        for pending, where in queued:
            if self._is_current(pending):
                wanted.setdefault(pending, []).append(where)
        if not wanted:
            return
        transactions = list(wanted)
        try:
            results = await self._written(node_id, [_marker(each, wanted[each]) for each in transactions])
        except KafkaError as error:
            _logger.info("markers not written node_id=%d transactions=%d error=%s", node_id, len(wanted), error)
            results = []
        except Exception:
            # Nobody else would ever end these transactions.
            _logger.exception("markers not written node_id=%d transactions=%d", node_id, len(wanted))
            results = []
        for number, pending in enumerate(transactions):
            codes = _codes(results[number]) if number < len(results) else {}
            try:
                self._settle(pending, wanted[pending], codes)
            except Exception:
                # The shard failed, and will have all its markers written again. The other transactions go on.
                _logger.exception("markers not recorded transactional_id=%s", pending.due.transactional_id)

    async def _written(self, node_id: int, markers: list[WritableTxnMarker]) -> list[WritableTxnMarkerResult]:
        """One result for each marker, in order."""
        if node_id == self._node_id:
            return await self._writer.write(markers)
        response = await self._peers.get(node_id).send(WriteTxnMarkersRequest(markers=markers), timeout_ms=_TIMEOUT_MS)
        return _matched(markers, response.markers)

    def _settle(self, pending: _Pending, asked: list[TopicPartition], codes: dict[TopicPartition, int]) -> None:
        if not self._is_current(pending):
            return
        written = set()
        for where in asked:
            code = codes.get(where, int(ErrorCode.NETWORK_EXCEPTION))
            if code == ErrorCode.NONE or code == ErrorCode.UNSUPPORTED_VERSION:
                written.add(where)
            elif code in _FENCED:
                _logger.warning(
                    "markers given up transactional_id=%s partition=%s-%d error=%s",
                    *_name(pending, where),
                    ErrorCode(code).name,
                )
                del self._pending[pending.due.transactional_id]
                return
            else:
                self._delay(pending, where)
        if written:
            self._confirm(pending, written)

    def _confirm(self, pending: _Pending, written: set[TopicPartition]) -> None:
        pending.left -= written
        recorded = written | pending.unrecorded
        is_done = not pending.left
        if is_done:
            # Before the shard gets it: that may set off the next transaction of this id.
            del self._pending[pending.due.transactional_id]
        try:
            pending.on_written(pending.due, recorded)
        except KafkaError as error:
            _logger.info("markers not recorded transactional_id=%s error=%s", pending.due.transactional_id, error)
            if is_done and pending.due.transactional_id not in self._pending:
                self._pending[pending.due.transactional_id] = pending
            pending.unrecorded = recorded
            self._set_timer()
        else:
            pending.unrecorded = set()


def _name(pending: _Pending, where: TopicPartition) -> tuple[str, str, int]:
    return pending.due.transactional_id, *where


def _marker(pending: _Pending, partitions: list[TopicPartition]) -> WritableTxnMarker:
    by_topic: dict[str, list[int]] = {}
    for topic, index in partitions:
        by_topic.setdefault(topic, []).append(index)
    due = pending.due
    return WritableTxnMarker(
        producer_id=due.producer_id,
        producer_epoch=due.producer_epoch,
        transaction_result=due.committed,
        topics=[WritableTxnMarkerTopic(name=name, partition_indexes=indexes) for name, indexes in by_topic.items()],
        coordinator_epoch=pending.coordinator_epoch,
        transaction_version=due.transaction_version,
    )


def _matched(markers: list[WritableTxnMarker], results: list[WritableTxnMarkerResult]) -> list[WritableTxnMarkerResult]:
    """Results are told apart by producer; one producer is in a request once."""
    by_producer = {result.producer_id: result for result in results}
    if any(marker.producer_id not in by_producer for marker in markers):
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR, "an answer without a result for each marker")
    return [by_producer[marker.producer_id] for marker in markers]


def _codes(result: WritableTxnMarkerResult) -> dict[TopicPartition, int]:
    return {
        (topic.name, partition.partition_index): partition.error_code
        for topic in result.topics
        for partition in topic.partitions
    }
