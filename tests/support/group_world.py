"""One group shard driven by hand: a clock that is a number, a log that is a list, and answers by request id.

It does what the broker's driver does with a decision, at once and without a broker, and checks on the way that no
request id is answered twice.
"""

from __future__ import annotations

import itertools
import struct
from typing import Any, ParamSpec, TypeVar

from riacho.base.coordination import Caller, CoordinatorDecision, CoordinatorRecord
from riacho.base.errors import ErrorCode
from riacho.base.operation import Operation
from riacho.groups.classic.group import ClassicGroup
from riacho.groups.config import GroupConfig
from riacho.groups.operations import (
    DELETE_GROUP,
    HEARTBEAT,
    JOIN_GROUP,
    LEAVE_GROUP,
    OFFSET_COMMIT,
    OFFSET_DELETE,
    SYNC_GROUP,
)
from riacho.groups.shard import GroupShard
from riacho.wire.codec import encode
from riacho.wire.messages.consumer_protocol_subscription import ConsumerProtocolSubscription
from riacho.wire.messages.heartbeat_request import HeartbeatRequest
from riacho.wire.messages.join_group_request import JoinGroupRequest, JoinGroupRequestProtocol
from riacho.wire.messages.leave_group_request import LeaveGroupRequest, MemberIdentity
from riacho.wire.messages.offset_commit_request import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from riacho.wire.messages.offset_delete_request import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from riacho.wire.messages.offset_fetch_request import OffsetFetchRequestGroup, OffsetFetchRequestTopics
from riacho.wire.messages.sync_group_request import SyncGroupRequest, SyncGroupRequestAssignment

Q = TypeVar("Q")
P = ParamSpec("P")
T = TypeVar("T")

GROUP = "g"
CALLER = Caller("client", "/127.0.0.1")


def subscription(*topics: str, version: int = 0) -> bytes:
    """A consumer's join metadata."""
    return struct.pack(">h", version) + bytes(encode(ConsumerProtocolSubscription(topics=list(topics)), version))


def durable_state(shard: GroupShard) -> dict[str, Any]:
    """What must be the same in a shard that was loaded from the log."""
    return {
        group_id: (_stored(group), dict(shard.offsets.of_group(group_id))) for group_id, group in shard.groups.items()
    }


def _stored(group: Any) -> Any:
    if isinstance(group, ClassicGroup):
        return group.stored
    return {name: value for name, value in vars(group).items() if name != "live"}


class GroupWorld:
    def __init__(self, config: GroupConfig | None = None) -> None:
        self.config = config or GroupConfig()
        self.now_ms = 1_000_000
        self.log: list[CoordinatorRecord] = []
        self.answers: dict[int, Any] = {}
        self.effects: list[Any] = []
        self.asked: set[int] = set()
        self._request_ids = itertools.count(1)
        self._suffixes = itertools.count(1)
        self.shard = self._new_shard()
        self.run(self.shard.finish_loading(self.now_ms))

    def run(self, decision: CoordinatorDecision) -> CoordinatorDecision:
        self.log += decision.records
        decision.apply_to(self.shard)
        self.effects += decision.effects
        for request_id, response in decision.reply:
            assert request_id not in self.answers, f"request {request_id} answered twice"
            self.answers[request_id] = response
        return decision

    def reloaded(self) -> GroupShard:
        """A shard that has only seen the log."""
        shard = self._new_shard()
        for record in self.log:
            shard.apply(record.key, record.value)
        return shard

    def restart(self) -> None:
        """Lose everything that is not in the log; those that wait are told so."""
        self.run(self.shard.abandon(ErrorCode.NOT_COORDINATOR))
        self.shard = self.reloaded()
        self.run(self.shard.finish_loading(self.now_ms))

    def pass_time(self, duration_ms: int) -> None:
        """Let every timeout on the way happen at its time."""
        end_ms = self.now_ms + duration_ms
        while (due_ms := self.shard.next_deadline_ms()) is not None and due_ms <= end_ms:
            self.now_ms = max(self.now_ms, due_ms)
            self.run(self.shard.expire(self.now_ms))
        self.now_ms = end_ms

    @property
    def group(self) -> Any:
        return self.shard.groups[GROUP]

    @property
    def state(self) -> str:
        return str(self.group.state.value)

    def parked(self) -> set[int]:
        return self.asked - set(self.answers)

    # Requests; each returns its request id, to be looked up in `answers`.

    def join(
        self,
        member_id: str = "",
        *,
        version: int = 9,
        group_id: str = GROUP,
        instance_id: str | None = None,
        session_timeout_ms: int = 10_000,
        rebalance_timeout_ms: int = 60_000,
        protocol_type: str = "consumer",
        protocols: dict[str, bytes] | None = None,
        caller: Caller = CALLER,
    ) -> int:
        offered = {"range": subscription("t")} if protocols is None else protocols
        request = JoinGroupRequest(
            group_id=group_id,
            session_timeout_ms=session_timeout_ms,
            rebalance_timeout_ms=rebalance_timeout_ms,
            member_id=member_id,
            group_instance_id=instance_id,
            protocol_type=protocol_type,
            protocols=[JoinGroupRequestProtocol(name=name, metadata=data) for name, data in offered.items()],
        )
        request_id = self._ask()
        self.run(self.decide(JOIN_GROUP, request_id, request, version, caller))
        return request_id

    def sync(
        self,
        member_id: str,
        generation: int,
        assignments: dict[str, bytes] | None = None,
        *,
        instance_id: str | None = None,
        protocol_type: str | None = None,
        protocol_name: str | None = None,
        group_id: str = GROUP,
    ) -> int:
        request = SyncGroupRequest(
            group_id=group_id,
            generation_id=generation,
            member_id=member_id,
            group_instance_id=instance_id,
            protocol_type=protocol_type,
            protocol_name=protocol_name,
            assignments=[
                SyncGroupRequestAssignment(member_id=each, assignment=data)
                for each, data in (assignments or {}).items()
            ],
        )
        request_id = self._ask()
        self.run(self.decide(SYNC_GROUP, request_id, request))
        return request_id

    def heartbeat(
        self, member_id: str, generation: int, *, instance_id: str | None = None, group_id: str = GROUP
    ) -> int:
        """The error code of the answer."""
        request = HeartbeatRequest(
            group_id=group_id, generation_id=generation, member_id=member_id, group_instance_id=instance_id
        )
        request_id = self._ask()
        self.run(self.decide(HEARTBEAT, request_id, request))
        return int(self.answers[request_id].error_code)

    def leave(self, *members: tuple[str, str | None], version: int = 5, group_id: str = GROUP) -> Any:
        """By (member id, instance id); the response."""
        request = LeaveGroupRequest(group_id=group_id)
        if version >= 3:
            request.members = [MemberIdentity(member_id=m, group_instance_id=i) for m, i in members]
        else:
            request.member_id = members[0][0]
        request_id = self._ask()
        self.run(self.decide(LEAVE_GROUP, request_id, request, version))
        return self.answers[request_id]

    def commit(
        self,
        offsets: dict[tuple[str, int], int],
        member_id: str = "",
        generation: int = -1,
        *,
        version: int = 9,
        instance_id: str | None = None,
        metadata: str | None = "",
        leader_epoch: int = -1,
        retention_time_ms: int = -1,
        topic_id: bytes = bytes(16),
        group_id: str = GROUP,
    ) -> dict[tuple[str, int], int]:
        """Error codes by topic and partition."""
        topics: dict[str, list[OffsetCommitRequestPartition]] = {}
        for (topic, partition), offset in offsets.items():
            topics.setdefault(topic, []).append(
                OffsetCommitRequestPartition(
                    partition_index=partition,
                    committed_offset=offset,
                    committed_leader_epoch=leader_epoch,
                    committed_metadata=metadata,
                )
            )
        request = OffsetCommitRequest(
            group_id=group_id,
            generation_id_or_member_epoch=generation,
            member_id=member_id,
            group_instance_id=instance_id,
            retention_time_ms=retention_time_ms,
            topics=[
                OffsetCommitRequestTopic(name=name, topic_id=topic_id, partitions=partitions)
                for name, partitions in topics.items()
            ],
        )
        request_id = self._ask()
        self.run(self.decide(OFFSET_COMMIT, request_id, request, version))
        return {
            (t.name, p.partition_index): p.error_code for t in self.answers[request_id].topics for p in t.partitions
        }

    def fetch(
        self,
        asked: dict[str, list[int]] | None = None,
        *,
        require_stable: bool = False,
        topic_id: bytes = bytes(16),
        group_id: str = GROUP,
    ) -> dict[tuple[str, int], tuple[int, int, str, int]]:
        """(offset, leader epoch, metadata, error) by topic and partition."""
        topics = None
        if asked is not None:
            topics = [
                OffsetFetchRequestTopics(name=name, topic_id=topic_id, partition_indexes=indexes)
                for name, indexes in asked.items()
            ]
        request = OffsetFetchRequestGroup(group_id=group_id, topics=topics)
        response = self.shard.fetch_offsets(request, require_stable=require_stable)
        return {
            (t.name, p.partition_index): (p.committed_offset, p.committed_leader_epoch, p.metadata or "", p.error_code)
            for t in response.topics
            for p in t.partitions
        }

    def delete_group(self, group_id: str = GROUP) -> int:
        request_id = self._ask()
        self.run(self.decide(DELETE_GROUP, request_id, group_id))
        return int(self.answers[request_id])

    def delete_offsets(self, asked: dict[str, list[int]], group_id: str = GROUP) -> Any:
        request = OffsetDeleteRequest(
            group_id=group_id,
            topics=[
                OffsetDeleteRequestTopic(
                    name=name, partitions=[OffsetDeleteRequestPartition(partition_index=index) for index in indexes]
                )
                for name, indexes in asked.items()
            ],
        )
        request_id = self._ask()
        self.run(self.decide(OFFSET_DELETE, request_id, request))
        return self.answers[request_id]

    def decide(
        self,
        operation: Operation[GroupShard, Q, P, T],
        request_id: int,
        request: Q,
        /,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> CoordinatorDecision:
        return operation.decide(self.shard, request_id, self.now_ms, request, *args, **kwargs)

    # Whole conversations

    def new_member_id(self, **join: Any) -> str:
        """The id that MEMBER_ID_REQUIRED hands out."""
        return str(self.answers[self.join(**join)].member_id)

    def stable_group(self, size: int = 1, **join: Any) -> list[str]:
        """Members that have joined, synced and hold the assignment `a<n>` each; the first one leads."""
        ids = [self.new_member_id(**join) for _ in range(size)]
        for member_id in ids:
            self.join(member_id, **join)
        self.pass_time(self.config.initial_rebalance_delay_ms * (1 if size == 1 else 2))
        generation = self.group.generation
        for member_id in ids[1:]:
            self.sync(member_id, generation)
        self.sync(ids[0], generation, {member_id: f"a{n}".encode() for n, member_id in enumerate(ids)})
        assert self.state == "Stable"
        return ids

    def _ask(self) -> int:
        request_id = next(self._request_ids)
        self.asked.add(request_id)
        return request_id

    def _new_shard(self) -> GroupShard:
        return GroupShard(self.config, lambda: f"id{next(self._suffixes)}")
