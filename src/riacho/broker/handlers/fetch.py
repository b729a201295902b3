"""Fetch, v4-18.

v7: sessions (KIP-227). v9: leader epochs (KIP-320). v12: diverging epochs (KIP-595). v13: topic ids (KIP-516).
v16: new leaders' endpoints (KIP-951). Records leave as slices of segment files. A fetch that finds too little waits in
`waiting.py` until the high watermark moves or its time is up, and then reads again.
Not done here: reads by followers (step to a cluster), preferred read replicas (always -1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.fetch_sessions import FetchScope, Wanted, topic_fields
from riacho.broker.waiting import ParkedFetch
from riacho.wire.messages.fetch_response import (
    AbortedTransaction,
    EpochEndOffset,
    FetchableTopicResponse,
    FetchResponse,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionData,
)

if TYPE_CHECKING:
    from riacho.broker.hosted_partition import HostedPartition
    from riacho.broker.request_context import RequestContext
    from riacho.wire.messages.fetch_request import FetchRequest

_READ_COMMITTED = 1
_CURRENT_LEADER_VERSION = 12
_NODE_ENDPOINTS_VERSION = 16
_NO_RECORDS = b""

Answers = list[tuple[Wanted, PartitionData]]


def handle(ctx: RequestContext, request: FetchRequest) -> Any:
    try:
        scope = ctx.broker.fetch_sessions.open(request, ctx.version, ctx.broker.clock.monotonic_ms())
    except KafkaError as error:
        return FetchResponse(error_code=error.code)
    reading = _Reading(ctx, request, scope)
    response = reading.attempt(is_last=request.max_wait_ms <= 0 or not scope.wanted)
    if response is not None:
        return response
    return ParkedFetch(ctx.broker.loop, reading.partitions, request.max_wait_ms, reading.attempt).deferred


class _Reading:
    """One fetch's reads: the first try, and the one after waking."""

    __slots__ = ("_ctx", "_is_committed_only", "_request", "_scope", "partitions")

    def __init__(self, ctx: RequestContext, request: FetchRequest, scope: FetchScope) -> None:
        self._ctx = ctx
        self._request = request
        self._scope = scope
        self._is_committed_only = request.isolation_level == _READ_COMMITTED
        self.partitions: list[HostedPartition] = []

    def attempt(self, is_last: bool) -> FetchResponse | None:
        """The response, or None when there is too little to answer and this is not the last try."""
        answers, size_bytes, must_answer = self._read()
        if is_last or must_answer or size_bytes >= self._request.min_bytes:
            return self._response(answers)
        return None

    def _read(self) -> tuple[Answers, int, bool]:
        """(answers, bytes of records, whether it must be answered now)."""
        replicas = self._ctx.broker.replicas
        left_bytes = min(self._request.max_bytes, self._ctx.broker.limits.fetch_size_bytes_max)
        answers: Answers = []
        total_bytes = 0
        must_answer = False
        self.partitions = []
        for wanted in self._scope.wanted:
            try:
                partition = replicas.find(wanted.topic, wanted.request.partition)
                self.partitions.append(partition)
                answer = self._read_one(partition, wanted, left_bytes, at_least_one=total_bytes == 0)
                if answer.records is not _NO_RECORDS:
                    size_bytes = answer.records.size  # type: ignore[union-attr]
                    total_bytes += size_bytes
                    left_bytes = max(0, left_bytes - size_bytes)
                elif answer.diverging_epoch.epoch >= 0:
                    must_answer = True
            except KafkaError as error:
                must_answer = True
                answer = self._refused(wanted, error)
            answers.append((wanted, answer))
        return answers, total_bytes, must_answer

    def _read_one(
        self, partition: HostedPartition, wanted: Wanted, left_bytes: int, at_least_one: bool
    ) -> PartitionData:
        asked = wanted.request
        partition.check_leader(asked.current_leader_epoch)
        log = partition.log
        end_offset = log.last_stable_offset if self._is_committed_only else log.high_watermark
        answer = PartitionData(
            partition_index=partition.index,
            high_watermark=log.high_watermark,
            last_stable_offset=log.last_stable_offset,
            log_start_offset=log.log_start_offset,
            records=_NO_RECORDS,
            aborted_transactions=[] if self._is_committed_only else None,
        )
        if asked.last_fetched_epoch >= 0 and self._diverges(partition, wanted, answer):
            return answer
        found = log.read(
            asked.fetch_offset,
            min(asked.partition_max_bytes, left_bytes),
            end_offset=end_offset,
            at_least_one=at_least_one,
        )
        if found is not None and found.size:
            answer.records = found
            if self._is_committed_only:
                answer.aborted_transactions = [
                    AbortedTransaction(producer_id=producer_id, first_offset=first_offset)
                    for producer_id, first_offset in log.aborted_transactions(asked.fetch_offset, end_offset)
                ]
        return answer

    def _diverges(self, partition: HostedPartition, wanted: Wanted, answer: PartitionData) -> bool:
        """The reader's log is not a prefix of ours: tell it where the two part (KIP-595)."""
        asked = wanted.request
        epoch, end_offset = partition.log.end_offset_for_epoch(asked.last_fetched_epoch)
        if epoch < 0 or end_offset < 0:
            raise KafkaError(ErrorCode.OFFSET_OUT_OF_RANGE, "the epoch of the last fetch is not known here")
        if epoch < asked.last_fetched_epoch or end_offset < asked.fetch_offset:
            answer.diverging_epoch = EpochEndOffset(epoch=epoch, end_offset=end_offset)
            return True
        return False

    def _refused(self, wanted: Wanted, error: KafkaError) -> PartitionData:
        self._ctx.broker.metrics.failed_fetch += 1
        answer = PartitionData(
            partition_index=wanted.request.partition, error_code=error.code, high_watermark=-1, records=_NO_RECORDS
        )
        is_moved = error.code in (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH)
        if is_moved and self._ctx.version >= _CURRENT_LEADER_VERSION:
            partition = self._ctx.broker.replicas.known(wanted.topic, wanted.request.partition)
            if partition is not None:
                answer.current_leader = LeaderIdAndEpoch(
                    leader_id=partition.leader_id, leader_epoch=partition.leader_epoch
                )
        return answer

    def _response(self, answers: Answers) -> FetchResponse:
        topics: list[FetchableTopicResponse] = []
        last_topic: object = None
        metrics = self._ctx.broker.metrics
        leaders: set[int] = set()
        for wanted, answer in self._scope.select(answers):
            if wanted.topic != last_topic:
                last_topic = wanted.topic
                name, topic_id = topic_fields(wanted.topic)
                topics.append(FetchableTopicResponse(topic=name, topic_id=topic_id))
            topics[-1].partitions.append(answer)
            if answer.records is not _NO_RECORDS:
                metrics.bytes_out += answer.records.size  # type: ignore[union-attr]
            if answer.error_code and answer.current_leader.leader_id >= 0:
                leaders.add(answer.current_leader.leader_id)
        response = FetchResponse(session_id=self._scope.session_id, responses=topics)
        if leaders and self._ctx.version >= _NODE_ENDPOINTS_VERSION:
            response.node_endpoints = [
                NodeEndpoint(node_id=leader, host=host, port=port)
                for leader in sorted(leaders)
                for host, port in [self._ctx.broker.endpoint_of(leader, self._ctx.listener_name)]
            ]
        return response
