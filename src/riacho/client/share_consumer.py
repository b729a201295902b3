"""A small blocking share consumer: joins a share group, takes records, and says what became of each (KIP-932).

    with ShareConsumer(cluster, "group", ["topic"]) as consumer:
        for record in consumer.poll(timeout_ms=1_000):
            consumer.acknowledge(record)        # or RELEASE, REJECT, RENEW
        consumer.commit()

Everything happens in the caller's thread: heartbeats go out from `poll` when they are due, so whoever works on records
for longer than the group's session timeout is taken for dead. What is not acknowledged comes again, to this consumer or
another, when its lock runs out.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from types import TracebackType
from typing import Any, NamedTuple, cast

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import Cluster, check, error_of, is_passing
from riacho.client.share_session import Share, ShareSession
from riacho.wire import batch as batches
from riacho.wire.messages.share_acknowledge_response import ShareAcknowledgeResponse
from riacho.wire.messages.share_fetch_response import PartitionData, ShareFetchResponse
from riacho.wire.messages.share_group_heartbeat_request import ShareGroupHeartbeatRequest
from riacho.wire.messages.share_group_heartbeat_response import ShareGroupHeartbeatResponse
from riacho.wire.records import Headers, iterate_records, record_timestamp

ACCEPT = 1
RELEASE = 2
REJECT = 3
RENEW = 4

_JOIN_EPOCH = 0
_LEAVE_EPOCH = -1
_MAX_RECORDS = 500
_IDLE_PAUSE_S = 0.05
# The member is out, or counts otherwise than the coordinator: it joins again.
_OUT = frozenset({ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.FENCED_MEMBER_EPOCH})
_SESSION_LOST = frozenset(
    {
        ErrorCode.SHARE_SESSION_NOT_FOUND,
        ErrorCode.INVALID_SHARE_SESSION_EPOCH,
        ErrorCode.SHARE_SESSION_LIMIT_REACHED,
    }
)


class ShareRecord(NamedTuple):
    topic: str
    partition: int
    offset: int
    timestamp: int
    # 0: by the producer; 1: by the broker.
    timestamp_type: int
    leader_epoch: int
    delivery_count: int
    key: bytes | None
    value: bytes | None
    headers: Headers
    share: Share
    node_id: int


class ShareConsumer:
    def __init__(
        self,
        cluster: Cluster,
        group_id: str,
        topics: Iterable[str],
        *,
        max_records: int = _MAX_RECORDS,
        member_id: str | None = None,
        rack_id: str | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id or str(uuid.uuid4())
        self.member_epoch = _JOIN_EPOCH
        # What the coordinator gave to this member, by topic id.
        self.assignment: dict[bytes, list[int]] = {}
        # What the leaders said to acknowledgements, until somebody asks.
        self.failures: list[tuple[Share, ErrorCode]] = []
        self._cluster = cluster
        self._topics = sorted(set(topics))
        self._max_records = max_records
        self._rack_id = rack_id
        self._clock = clock
        self._sleep = sleep
        self._heartbeat_due_s = 0.0
        self._sessions: dict[int, ShareSession] = {}
        self._leaders: dict[Share, int] = {}
        self._names: dict[bytes, str] = {}

    def __enter__(self) -> ShareConsumer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def poll(self, timeout_ms: int) -> list[ShareRecord]:
        """Some records, as soon as there are any; none when the time is up."""
        deadline_s = self._clock() + timeout_ms / 1000
        while True:
            self._heartbeat_if_due()
            left_ms = max(0, int((deadline_s - self._clock()) * 1000))
            records = [record for node_id in self._nodes() for record in self._fetch(node_id, left_ms)]
            if records or self._clock() >= deadline_s:
                return records
            if not self._sessions:
                self._sleep(min(_IDLE_PAUSE_S, max(0.0, deadline_s - self._clock())))

    def acknowledge(self, record: ShareRecord, kind: int = ACCEPT) -> None:
        """Goes out with the next `poll`, `commit` or `close`; a renewal at once."""
        session = self._sessions.get(record.node_id)
        if session is None:
            self.failures.append((record.share, ErrorCode.INVALID_RECORD_STATE))
            return
        if kind == RENEW and session.has_pending:
            self._acknowledge(session)
        session.acknowledge(record.share, record.offset, kind)
        if kind == RENEW:
            self._acknowledge(session, is_renewal=True)

    def commit(self) -> None:
        """Send what is acknowledged, and wait for the answers."""
        for session in list(self._sessions.values()):
            if session.has_pending:
                self._acknowledge(session)

    def close(self) -> None:
        """Acknowledge, end the sessions, so that what is left comes to others at once, and leave the group."""
        for session in list(self._sessions.values()):
            try:
                self._acknowledge(session, is_last=True)
            except KafkaError:
                # The locks will run out.
                continue
        self._sessions.clear()
        if self.member_epoch > _JOIN_EPOCH:
            with suppress(KafkaError):
                self._beat(_LEAVE_EPOCH)
            self.member_epoch = _JOIN_EPOCH

    # The group

    def _heartbeat_if_due(self) -> None:
        if self._clock() < self._heartbeat_due_s:
            return
        try:
            answer = self._cluster.retry(lambda: self._beat(self.member_epoch))
        except KafkaError as error:
            if error.code not in _OUT or self.member_epoch == _JOIN_EPOCH:
                raise
            self.member_epoch = _JOIN_EPOCH
            self._sessions.clear()
            self.assignment = {}
            return
        self.member_epoch = answer.member_epoch
        self._heartbeat_due_s = self._clock() + answer.heartbeat_interval_ms / 1000
        if answer.assignment is not None:
            self.assignment = {t.topic_id: list(t.partitions) for t in answer.assignment.topic_partitions}
            self._leaders.clear()

    def _beat(self, epoch: int) -> ShareGroupHeartbeatResponse:
        request = ShareGroupHeartbeatRequest(
            group_id=self.group_id,
            member_id=self.member_id,
            member_epoch=epoch,
            rack_id=self._rack_id,
            subscribed_topic_names=self._topics if epoch == _JOIN_EPOCH else None,
        )
        answer = self._cluster.ask(request, ShareGroupHeartbeatResponse, self._cluster.coordinator(self.group_id))
        check(answer.error_code, answer.error_message)
        return answer

    # The partitions

    def _nodes(self) -> list[int]:
        """The leaders of what is assigned, and brokers where something is still to be said."""
        wanted = {Share(topic_id, index) for topic_id, indexes in self.assignment.items() for index in indexes}
        if wanted - self._leaders.keys():
            self._learn_leaders()
        nodes = {self._leaders[share] for share in wanted if share in self._leaders}
        return sorted(nodes | {node_id for node_id, session in self._sessions.items() if session.has_pending})

    def _learn_leaders(self) -> None:
        for topic in self._cluster.retry(lambda: self._cluster.metadata(self._topics)).topics:
            self._names[topic.topic_id] = topic.name or ""
            for partition in topic.partitions:
                if partition.leader_id >= 0:
                    self._leaders[Share(topic.topic_id, partition.partition_index)] = partition.leader_id

    def _fetch(self, node_id: int, max_wait_ms: int) -> list[ShareRecord]:
        session = self._sessions.get(node_id)
        if session is None:
            session = self._sessions[node_id] = ShareSession(node_id, self.group_id, self.member_id)
        wanted = [
            Share(topic_id, index)
            for topic_id, indexes in self.assignment.items()
            for index in indexes
            if self._leaders.get(Share(topic_id, index)) == node_id
        ]
        request = session.fetch(wanted, self._max_records, max_wait_ms)
        try:
            answer = self._cluster.ask(request, ShareFetchResponse, self._cluster.broker(node_id))
        except KafkaError as error:
            self._lost(session, error)
            return []
        if not self._is_taken(session, answer.error_code):
            return []
        records: list[ShareRecord] = []
        for topic in answer.responses:
            for partition in topic.partitions:
                share = Share(topic.topic_id, partition.partition_index)
                self._handle_error(share, partition.acknowledge_error_code)
                if partition.error_code:
                    self._leaders.pop(share, None)
                    continue
                records.extend(self._records(share, partition, node_id))
        return records

    def _records(self, share: Share, partition: PartitionData, node_id: int) -> Iterator[ShareRecord]:
        """Those that were handed out; the batches may hold others, too."""
        acquired = {
            offset: run.delivery_count
            for run in partition.acquired_records
            for offset in range(run.first_offset, run.last_offset + 1)
        }
        # What came off the wire is bytes; only what goes out may be spliced in from files.
        data = bytes(cast(bytes, partition.records or b""))
        for position, header in batches.iterate_headers(data):
            if header.is_control:
                continue
            for record in iterate_records(data, position):
                offset = header.base_offset + record.offset_delta
                if offset in acquired:
                    yield ShareRecord(
                        self._names.get(share.topic_id, ""),
                        share.partition,
                        offset,
                        record_timestamp(header, record),
                        header.timestamp_type,
                        header.partition_leader_epoch,
                        acquired[offset],
                        record.key,
                        record.value,
                        record.headers,
                        share,
                        node_id,
                    )

    def _acknowledge(self, session: ShareSession, *, is_last: bool = False, is_renewal: bool = False) -> None:
        if is_last and session.epoch == 0:
            return
        request = session.acknowledgement(is_last=is_last, is_renewal=is_renewal)
        try:
            answer = self._cluster.ask(request, ShareAcknowledgeResponse, self._cluster.broker(session.node_id))
        except KafkaError as error:
            self._lost(session, error)
            return
        if self._is_taken(session, answer.error_code):
            for topic in answer.responses:
                for partition in topic.partitions:
                    self._handle_error(Share(topic.topic_id, partition.partition_index), partition.error_code)

    def _is_taken(self, session: ShareSession, error_code: int) -> bool:
        """Whether the broker took the request into the session; KafkaError for what a new session would not mend."""
        code = error_of(error_code)
        if code is ErrorCode.NONE:
            session.advance()
            return True
        if code not in _SESSION_LOST and not is_passing(code):
            check(error_code)
        session.reset()
        return False

    def _lost(self, session: ShareSession, error: KafkaError) -> None:
        """The broker went, or takes too long: its partitions will have other leaders."""
        if not is_passing(error.code) and error.code is not ErrorCode.BROKER_NOT_AVAILABLE:
            raise error
        self._sessions.pop(session.node_id, None)
        self._leaders.clear()
        self._sleep(_IDLE_PAUSE_S)

    def _handle_error(self, share: Share, error_code: Any) -> None:
        if error_code:
            self.failures.append((share, error_of(error_code)))
