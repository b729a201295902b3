"""Fetch, v4-18.

v7: sessions (KIP-227). v9: leader epochs (KIP-320). v11: preferred read replicas, and reads from followers (KIP-392).
v12: diverging epochs (KIP-595). v13: topic ids (KIP-516). v15: the follower's broker epoch (KIP-903). v16: new leaders'
endpoints (KIP-951). Records leave as slices of segment files. A fetch that finds too little waits in purgatory until
the high watermark moves (a follower's: until the log end does) or its time is up, and then reads again.

This file has the consumer's way; a follower's is in `broker/fetch/follower_reading.py`, the quorum's in
`broker/quorum/raft_driver.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.counters.client_counts import FETCHED
from riacho.broker.fetch.fetch_reading import NO_RECORDS, Answers, DeniedReading, Reading, divergence, size_bytes_of
from riacho.broker.fetch.fetch_sessions import NO_SESSION, FetchScope, TopicKey, Wanted
from riacho.broker.fetch.follower_reading import FollowerReading
from riacho.broker.fetch.replica_selector import ReplicaView
from riacho.broker.partitions.purgatory import ParkedFetch
from riacho.partition.visibility import is_follower, visible_end
from riacho.security.denials import denied
from riacho.security.operations import AclOperation, AclResourceType
from riacho.wire.messages.fetch_response import AbortedTransaction, FetchResponse, PartitionData

if TYPE_CHECKING:
    from riacho.broker.fetch.fetch_source import FetchSource
    from riacho.broker.partitions.hosted_partition import HostedPartition
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.broker.quotas.quotas import Quotas
    from riacho.broker.requests.later import Outcome
    from riacho.broker.requests.request_context import RequestContext
    from riacho.wire.messages.fetch_request import FetchPartition, FetchRequest

_READ_COMMITTED = 1
_RACK_VERSION = 11
_REPLICA_STATE_VERSION = 15


def handle(ctx: BrokerRequestContext, request: FetchRequest) -> Outcome[FetchResponse]:
    is_new_form = ctx.version >= _REPLICA_STATE_VERSION
    replica_id = request.replica_state.replica_id if is_new_form else request.replica_id
    source = ctx.hosting.fetch_source
    now_ms = source.clock.monotonic_ms()
    # Whoever only says so gets no follower's place among the sessions.
    may_follow = is_follower(replica_id) and ctx.allows_cluster(AclOperation.CLUSTER_ACTION)
    try:
        scope = source.sessions.open(request, ctx.version, now_ms, may_follow)
    except KafkaError as error:
        return FetchResponse(error_code=error.code)
    if is_follower(replica_id):
        if not may_follow:
            return DeniedReading(source, ctx, request, scope).answer_now()
        return FollowerReading(source, ctx, request, scope, replica_id, request.replica_state.replica_epoch).answer()
    reading = ConsumerReading(source, ctx.node.quotas, ctx, request, scope, replica_id)
    response = reading.attempt(is_last=request.max_wait_ms <= 0 or not scope.wanted)
    if response is not None:
        return response
    places = [partition.waiting for partition in reading.partitions]
    return ParkedFetch(source.loop, places, request.max_wait_ms, reading.attempt).deferred


class ConsumerReading(Reading):
    __slots__ = (
        "_is_committed_only",
        "_may_follow",
        "_quotas",
        "_replica_id",
        "_size_bytes_max",
        "_unreadable",
        "partitions",
    )

    def __init__(
        self,
        source: FetchSource,
        quotas: Quotas,
        ctx: RequestContext,
        request: FetchRequest,
        scope: FetchScope,
        replica_id: int,
    ) -> None:
        super().__init__(source, ctx, request, scope)
        self._quotas = quotas
        self._replica_id = replica_id
        self._is_committed_only = request.isolation_level == _READ_COMMITTED
        # Older consumers do not know that a follower may answer (KIP-392).
        self._may_follow = ctx.version >= _RACK_VERSION
        self._size_bytes_max = min(request.max_bytes, source.size_bytes_max)
        self._unreadable = _unreadable_topics(ctx, scope) if ctx.authorizer is not None else ()
        self.partitions: list[HostedPartition] = []

        allowed_bytes = quotas.fetch_size_bytes_max(ctx)
        if allowed_bytes is not None:
            self._size_bytes_max = min(self._size_bytes_max, allowed_bytes)
            self.size_bytes_min = min(self.size_bytes_min, self._size_bytes_max)

    def respond(self, answers: Answers) -> FetchResponse:
        quotas = self._quotas
        if quotas.is_enabled:
            throttle_ms = quotas.charge_fetch(self.ctx, size_bytes_of(answers), worked_ns(self.ctx))
            if throttle_ms:
                # Without records, and without a word on its partitions: the session stays as it was (KIP-219).
                self.source.sessions.drop(self.scope)
                session_id = self.scope.session_id if self.scope.is_incremental else NO_SESSION
                return FetchResponse(throttle_time_ms=throttle_ms, session_id=session_id)
        return super().respond(answers)

    def count_sent(self, wanted: Wanted, size_bytes: int) -> None:
        partition = self.source.replicas.known(wanted.topic, wanted.request.partition)
        if partition is not None:
            partition.counts.bytes_out += size_bytes
            ctx = self.ctx
            self.source.metrics.clients.of(FETCHED, ctx.principal, ctx.client_id, partition.topic).bytes += size_bytes

    def read(self) -> tuple[Answers, int, bool]:
        replicas = self.source.replicas
        left_bytes = self._size_bytes_max
        answers: Answers = []
        total_bytes = 0
        must_answer = False
        self.partitions = []
        for wanted in self.scope.wanted:
            try:
                if self._unreadable and wanted.topic in self._unreadable:
                    raise denied(AclResourceType.TOPIC)
                partition = replicas.find(wanted.topic, wanted.request.partition)
                self.partitions.append(partition)
                partition.counts.fetch_requests += 1
                answer = self._read_one(partition, wanted.request, left_bytes, at_least_one=total_bytes == 0)
                if answer.records is not NO_RECORDS:
                    size_bytes = answer.records.size  # type: ignore[union-attr]
                    total_bytes += size_bytes
                    left_bytes = max(0, left_bytes - size_bytes)
                elif answer.diverging_epoch.epoch >= 0 or answer.preferred_read_replica >= 0:
                    must_answer = True
            except KafkaError as error:
                must_answer = True
                answer = self.refused(wanted, error)
            answers.append((wanted, answer))
        return answers, total_bytes, must_answer

    def _read_one(
        self, partition: HostedPartition, asked: FetchPartition, left_bytes: int, at_least_one: bool
    ) -> PartitionData:
        if partition.is_follower and self._may_follow:
            _check_epoch(partition, asked.current_leader_epoch)
        else:
            partition.check_leader(asked.current_leader_epoch)
        log = partition.log
        end_offset = visible_end(log, self._replica_id, self.request.isolation_level)
        answer = PartitionData(
            partition_index=partition.index,
            high_watermark=log.high_watermark,
            last_stable_offset=log.last_stable_offset,
            log_start_offset=log.log_start_offset,
            records=NO_RECORDS,
            aborted_transactions=[] if self._is_committed_only else None,
        )
        if asked.last_fetched_epoch >= 0:
            parted = divergence(partition, asked)
            if parted is not None:
                answer.diverging_epoch = parted
                return answer
        if partition.leadership is not None and self.request.rack_id:
            preferred = self._preferred_replica(partition, asked.fetch_offset)
            if preferred >= 0:
                answer.preferred_read_replica = preferred
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

    def _preferred_replica(self, partition: HostedPartition, fetch_offset: int) -> int:
        """Where this consumer should rather read; -1: here."""
        leadership, select = partition.leadership, self.source.replica_selector
        if select is None or leadership is None:
            return -1
        views = []
        for replica_id in leadership.isr:
            known = self.ctx.metadata.image.brokers.get(replica_id)
            if known is None:
                continue
            if replica_id == self.source.replicas.node_id:
                views.append(ReplicaView(replica_id, known.rack, partition.log.log_end_offset, 0, True))
                continue
            follower = leadership.follower(replica_id)
            is_reachable = known.is_active and any(each.name == self.listener_name for each in known.endpoints)
            if (
                follower is not None
                and is_reachable
                and follower.log_start_offset <= fetch_offset <= follower.log_end_offset
            ):
                views.append(ReplicaView(replica_id, known.rack, follower.log_end_offset, follower.caught_up_ms, False))
        chosen = select(self.request.rack_id, views)
        return -1 if chosen is None or chosen.is_leader else chosen.node_id


def _unreadable_topics(ctx: RequestContext, scope: FetchScope) -> frozenset[TopicKey]:
    """Asked with every fetch, also of a session: an entry that was taken away counts at once."""
    topics = dict.fromkeys(wanted.topic for wanted in scope.wanted)
    return frozenset(topic for topic in topics if not ctx.allows_topic(AclOperation.READ, topic))


def worked_ns(ctx: RequestContext) -> int:
    return 0 if ctx.connection is None else ctx.connection.worked_ns


def _check_epoch(partition: HostedPartition, current_leader_epoch: int) -> None:
    """A follower refuses readers of another epoch than its own (KIP-320), as a leader does."""
    if current_leader_epoch in (-1, partition.leader_epoch):
        return
    is_old = current_leader_epoch < partition.leader_epoch
    code = ErrorCode.FENCED_LEADER_EPOCH if is_old else ErrorCode.UNKNOWN_LEADER_EPOCH
    raise KafkaError(code, f"the leader epoch is {partition.leader_epoch}")
