"""What a consumer's and a follower's fetch have in common: trying, refusing, telling where logs part, answering."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.fetch.fetch_sessions import FetchScope, Wanted, topic_fields
from riacho.security.denials import denied
from riacho.security.operations import AclResourceType
from riacho.wire.messages.fetch_response import (
    EpochEndOffset,
    FetchableTopicResponse,
    FetchResponse,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionData,
)

if TYPE_CHECKING:
    from riacho.broker.fetch.fetch_source import FetchSource
    from riacho.broker.partitions.hosted_partition import HostedPartition
    from riacho.broker.requests.request_context import RequestContext
    from riacho.wire.messages.fetch_request import FetchPartition, FetchRequest

_CURRENT_LEADER_VERSION = 12
_NODE_ENDPOINTS_VERSION = 16
NO_RECORDS = b""
_EMPTY_RESPONSE_SIZE_BYTES = 20
_PARTITION_SIZE_BYTES = 60

Answers = list[tuple[Wanted, PartitionData]]


class Reading(ABC):
    """One fetch's reads: the first try, and those after waking."""

    __slots__ = ("ctx", "listener_name", "request", "scope", "size_bytes_min", "source", "version")

    def __init__(self, source: FetchSource, ctx: RequestContext, request: FetchRequest, scope: FetchScope) -> None:
        self.source = source
        self.ctx = ctx
        # The context serves the connection's next request before this one is woken, were it ever to be pipelined.
        self.version = ctx.version
        self.listener_name = ctx.listener_name
        self.request = request
        # Less than this is worth waiting.
        self.size_bytes_min = request.min_bytes
        self.scope = scope

    def attempt(self, is_last: bool) -> FetchResponse | None:
        """The response, or None when there is too little to answer and this is not the last try."""
        answers, size_bytes, must_answer = self.read()
        if is_last or must_answer or size_bytes >= self.size_bytes_min:
            return self.respond(answers)
        return None

    def answer_now(self) -> FetchResponse:
        """What there is, however little."""
        return self.respond(self.read()[0])

    @abstractmethod
    def read(self) -> tuple[Answers, int, bool]:
        """(answers, bytes of records, whether it must be answered now)."""

    @abstractmethod
    def count_sent(self, wanted: Wanted, size_bytes: int) -> None:
        """Records of a partition that are part of the answer."""

    def refused(self, wanted: Wanted, error: KafkaError) -> PartitionData:
        self.source.metrics.failed_fetch += 1
        answer = PartitionData(
            partition_index=wanted.request.partition, error_code=error.code, high_watermark=-1, records=NO_RECORDS
        )
        is_moved = error.code in (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH)
        if is_moved and self.version >= _CURRENT_LEADER_VERSION:
            partition = self.source.replicas.known(wanted.topic, wanted.request.partition)
            if partition is not None:
                answer.current_leader = LeaderIdAndEpoch(
                    leader_id=partition.leader_id, leader_epoch=partition.leader_epoch
                )
        return answer

    def respond(self, answers: Answers) -> FetchResponse:
        topics: list[FetchableTopicResponse] = []
        last_topic: object = None
        leaders: set[int] = set()
        for wanted, answer in self.scope.select(answers):
            if wanted.topic != last_topic:
                last_topic = wanted.topic
                name, topic_id = topic_fields(wanted.topic)
                topics.append(FetchableTopicResponse(topic=name, topic_id=topic_id))
            topics[-1].partitions.append(answer)
            if answer.records is not NO_RECORDS:
                self.count_sent(wanted, answer.records.size)  # type: ignore[union-attr]
            if answer.error_code and answer.current_leader.leader_id >= 0:
                leaders.add(answer.current_leader.leader_id)
        response = FetchResponse(session_id=self.scope.session_id, responses=topics)
        if leaders and self.version >= _NODE_ENDPOINTS_VERSION:
            response.node_endpoints = self._endpoints(leaders)
        return response

    def _endpoints(self, leaders: set[int]) -> list[NodeEndpoint]:
        found = []
        for leader in sorted(leaders):
            try:
                host, port = self.source.endpoints.of(leader, self.listener_name)
            except KafkaError:
                # A leader that this listener's clients cannot reach: they have to ask for metadata.
                continue
            found.append(NodeEndpoint(node_id=leader, host=host, port=port))
        return found


class DeniedReading(Reading):
    """A follower's fetch by somebody who is no broker: the same refusal whether a topic is there or not."""

    __slots__ = ()

    def read(self) -> tuple[Answers, int, bool]:
        error = denied(AclResourceType.TOPIC)
        return [(wanted, self.refused(wanted, error)) for wanted in self.scope.wanted], 0, True

    def count_sent(self, wanted: Wanted, size_bytes: int) -> None:
        raise AssertionError("nothing is read for those who may not")


def size_bytes_of(answers: Answers) -> int:
    """About the size of the answer: its records, and what stands around those of a partition."""
    total = _EMPTY_RESPONSE_SIZE_BYTES
    for _, answer in answers:
        if answer.records is not NO_RECORDS:
            total += _PARTITION_SIZE_BYTES + answer.records.size  # type: ignore[union-attr]
    return total


def divergence(partition: HostedPartition, asked: FetchPartition) -> EpochEndOffset | None:
    """Where the reader's log and ours part, when it is not a prefix of ours (KIP-595)."""
    log = partition.log
    last_epoch = asked.last_fetched_epoch
    if log.latest_epoch < last_epoch <= partition.leader_epoch:
        # Nothing was written here since an earlier epoch: that one, or none at all, ends with the log.
        return EpochEndOffset(epoch=max(log.latest_epoch, 0), end_offset=log.log_end_offset)
    epoch, end_offset = log.end_offset_for_epoch(last_epoch)
    if epoch < 0 or end_offset < 0:
        raise KafkaError(ErrorCode.OFFSET_OUT_OF_RANGE, "the epoch of the last fetch is not known here")
    if epoch < last_epoch or end_offset < asked.fetch_offset:
        return EpochEndOffset(epoch=epoch, end_offset=end_offset)
    return None
