"""One share fetch's reads: the first try, and those after waking.

First it is seen what the log has for each share-partition, and only when that is enough, or the time is up, are records
acquired: what was acquired must be answered. Partitions that gave records are served last the next time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.shares.hosted_share import HostedShare
from riacho.broker.shares.share_batches import PlacedBatch, fetched_batches, placed_batches, trimmed
from riacho.log.file_slice import FileSlice
from riacho.shares.acquiring import AcquireRequest
from riacho.shares.session import SharedPartition, ShareSession
from riacho.shares.state_records import ShareKey
from riacho.wire.messages.share_fetch_response import AcquiredRecords, LeaderIdAndEpoch, PartitionData

if TYPE_CHECKING:
    from riacho.base.ports import Clock
    from riacho.broker.partitions.replicas import Replicas
    from riacho.broker.shares.share_partitions import SharePartitions
    from riacho.wire.messages.share_fetch_request import ShareFetchRequest

NO_RECORDS = b""
_RECORD_LIMIT = 1

ShareAnswers = dict[SharedPartition, PartitionData]


class _Readable(NamedTuple):
    """What the log has for a share-partition."""

    share: HostedShare
    fetch_offset: int
    found: FileSlice
    batches: list[PlacedBatch]


class ShareReading:
    def __init__(
        self,
        shares: SharePartitions,
        replicas: Replicas,
        clock: Clock,
        request: ShareFetchRequest,
        session: ShareSession,
        wanted: list[SharedPartition],
        *,
        size_bytes_max: int,
        is_full: bool,
    ) -> None:
        """`size_bytes_max` is the broker's own bound; `is_full`: the answer names unchanged partitions too."""
        self._share_partitions = shares
        self._replicas = replicas
        self._clock = clock
        self._request = request
        self._session = session
        self._is_full = is_full
        self._wanted = wanted
        self._size_bytes_max = min(request.max_bytes, size_bytes_max)
        # Whom to wait for, when there is too little.
        self.shares: list[HostedShare] = []

    def attempt(self, is_last: bool) -> ShareAnswers | None:
        """The answers, or None when there is too little to answer and this is not the last try."""
        answers: ShareAnswers = {}
        readable: dict[SharedPartition, _Readable] = {}
        self.shares = []
        left_bytes, total_bytes = self._size_bytes_max, 0
        for wanted in self._wanted:
            try:
                seen = self._see(wanted, left_bytes, at_least_one=not total_bytes)
            except KafkaError as error:
                answers[wanted] = refused(self._replicas, wanted, error)
                continue
            if seen is not None:
                readable[wanted] = seen
                total_bytes += seen.found.size
                left_bytes = max(0, left_bytes - seen.found.size)
        if not answers and not is_last and total_bytes < max(self._request.min_bytes, 1):
            return None
        has_records = self._acquire(readable, answers)
        if not answers and not is_last and not has_records:
            return None
        return self._in_order(answers)

    def _see(self, wanted: SharedPartition, left_bytes: int, at_least_one: bool) -> _Readable | None:
        key = ShareKey(self._session.key.group_id, wanted.topic_id, wanted.partition)
        share = self._share_partitions.watched(key)
        self.shares.append(share)
        state = share.state
        if state is None:
            return None
        log, config = share.hosted.log, share.config()
        state.log_start_moved(log.log_start_offset)
        if not state.can_acquire(config.limits) or self._size_bytes_max <= 0:
            return None
        offset = state.next_fetch_offset()
        end_offset = log.last_stable_offset if config.is_read_committed else log.high_watermark
        if offset >= end_offset:
            return None
        found = log.read(offset, left_bytes, end_offset=end_offset, at_least_one=at_least_one)
        if found is None or not found.size:
            return None
        batches = placed_batches(found)
        return _Readable(share, offset, found, batches) if batches else None

    def _acquire(self, readable: dict[SharedPartition, _Readable], answers: ShareAnswers) -> bool:
        """Whether anything was acquired."""
        request, count = self._request, 0
        now_ms = self._clock.monotonic_ms()
        for wanted, (share, offset, found, batches) in readable.items():
            state, config = share.state, share.config()
            left = request.max_records - count
            if left <= 0 or state is None:
                break
            acquire_request = AcquireRequest(
                self._session.key.member_id, left, request.batch_size, request.share_acquire_mode == _RECORD_LIMIT
            )
            visible = fetched_batches(batches, share.hosted.log, config.is_read_committed)
            acquired = state.acquire(acquire_request, visible, offset, config.limits, now_ms)
            if not acquired.record_count:
                continue
            share.acquired()
            count += acquired.record_count
            records = trimmed(found, batches, acquired.ranges)
            share.hosted.counts.bytes_out += records.size
            answers[wanted] = PartitionData(
                partition_index=wanted.partition,
                records=records,
                acquired_records=[AcquiredRecords(*each) for each in acquired.ranges],
            )
            self._session.served(wanted)
        return count > 0

    def _in_order(self, answers: ShareAnswers) -> ShareAnswers:
        if not self._is_full:
            return answers
        ready = {SharedPartition(share.key.topic_id, share.key.partition) for share in self.shares if share.state}
        return {
            wanted: answers.get(wanted) or PartitionData(partition_index=wanted.partition, records=NO_RECORDS)
            for wanted in self._wanted
            if wanted in answers or wanted in ready
        }


def refused(replicas: Replicas, wanted: SharedPartition, error: KafkaError) -> PartitionData:
    """With the leader, where the consumer has come to the wrong broker (KIP-951)."""
    answer = PartitionData(
        partition_index=wanted.partition,
        error_code=error.code,
        error_message=error.detail or None,
        records=NO_RECORDS,
    )
    leader = current_leader_on_error(replicas, wanted, error.code)
    if leader is not None:
        answer.current_leader = LeaderIdAndEpoch(leader_id=leader[0], leader_epoch=leader[1])
    return answer


def current_leader_on_error(replicas: Replicas, wanted: SharedPartition, code: int) -> tuple[int, int] | None:
    if code not in (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH):
        return None
    return replicas.current_leader(wanted.topic_id, wanted.partition)
