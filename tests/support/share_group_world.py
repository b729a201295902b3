"""Share groups of one shard driven by hand: topics that come and go, a share coordinator that answers when told to."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from riacho.base.coordination import Caller, CoordinatorDecision, CoordinatorRecord
from riacho.base.errors import ErrorCode
from riacho.base.operation import Operation
from riacho.groups.config import GroupConfig
from riacho.groups.decision_context import DecisionContext
from riacho.groups.operations import DELETE_GROUP
from riacho.groups.shard import GroupShard
from riacho.groups.share.group import ShareGroup
from riacho.groups.share.groups import ShareGroups
from riacho.groups.share.heartbeat import StateToCreate
from riacho.groups.share.offsets import AlterOffsets, DeleteState
from riacho.groups.share_operations import (
    BEGIN_ALTER_OFFSETS,
    BEGIN_DELETE_GROUP,
    BEGIN_DELETE_OFFSETS,
    SHARE_GROUP_HEARTBEAT,
)
from riacho.groups.topics_view import FixedTopics, TopicChanges
from riacho.wire.messages.alter_share_group_offsets_request import (
    AlterShareGroupOffsetsRequest,
    AlterShareGroupOffsetsRequestPartition,
    AlterShareGroupOffsetsRequestTopic,
)
from riacho.wire.messages.delete_share_group_offsets_request import (
    DeleteShareGroupOffsetsRequest,
    DeleteShareGroupOffsetsRequestTopic,
)
from riacho.wire.messages.share_group_heartbeat_request import ShareGroupHeartbeatRequest
from riacho.wire.messages.share_group_heartbeat_response import ShareGroupHeartbeatResponse

Q = TypeVar("Q")
P = ParamSpec("P")
T = TypeVar("T")

GROUP = "s"
CALLER = Caller("client", "/127.0.0.1")


def topic_id_of(name: str, life: int = 1) -> bytes:
    return f"{name}:{life}".encode().ljust(16, b".")


class ShareGroupWorld:
    def __init__(self, config: GroupConfig | None = None, **topics: int) -> None:
        """`topics` by their number of partitions."""
        self.config = config or GroupConfig()
        self.now_ms = 1_000_000
        self.log: list[CoordinatorRecord] = []
        self.answers: dict[int, Any] = {}
        # What the share coordinator was asked for and has not answered yet.
        self.to_create: list[StateToCreate] = []
        self.settings: dict[str, dict[str, str]] = {}
        self._request_ids = itertools.count(1)
        self._lives: dict[str, int] = {}
        self._counts: dict[str, int] = {}
        self._view = FixedTopics()
        self.shard = self._new_shard()
        for name, count in topics.items():
            self._put(name, count)
        self.run(self.shard.finish_loading(self.now_ms))

    def run(self, decision: CoordinatorDecision) -> CoordinatorDecision:
        self.log += decision.records
        decision.apply_to(self.shard)
        for effect in decision.effects:
            assert isinstance(effect, StateToCreate)
            self.to_create.append(effect)
        for request_id, response in decision.reply:
            assert request_id not in self.answers, f"request {request_id} answered twice"
            self.answers[request_id] = response
        return decision

    # Time, topics, restarts

    def pass_time(self, duration_ms: int) -> None:
        end_ms = self.now_ms + duration_ms
        while (due_ms := self.shard.next_deadline_ms()) is not None and due_ms <= end_ms:
            self.now_ms = max(self.now_ms, due_ms)
            self.run(self.shard.expire(self.now_ms))
        self.now_ms = end_ms

    def create_topic(self, name: str, count: int) -> None:
        self._put(name, count)
        self._tell(name, created=True)

    def grow_topic(self, name: str, count: int) -> None:
        self._counts[name] = count
        self._tell(name, created=False)

    def delete_topic(self, name: str) -> None:
        del self._counts[name]
        self._tell(name, created=False)

    def topic_id(self, name: str) -> bytes:
        return topic_id_of(name, self._lives[name])

    def reloaded(self) -> GroupShard:
        shard = self._new_shard()
        for record in self.log:
            shard.apply(record.key, record.value)
        return shard

    def restart(self) -> None:
        """Lose everything that is not in the log; what was asked of the share coordinator is lost too."""
        self.run(self.shard.abandon(ErrorCode.NOT_COORDINATOR))
        self.to_create.clear()
        self.shard = self.reloaded()
        self.run(self.shard.finish_loading(self.now_ms))

    # Requests

    def heartbeat(
        self,
        member_id: str,
        epoch: int,
        topics: list[str] | None = None,
        *,
        rack_id: str | None = None,
        group_id: str = GROUP,
        caller: Caller = CALLER,
    ) -> ShareGroupHeartbeatResponse:
        request = ShareGroupHeartbeatRequest(
            group_id=group_id,
            member_id=member_id,
            member_epoch=epoch,
            rack_id=rack_id,
            subscribed_topic_names=topics,
        )
        response: ShareGroupHeartbeatResponse = self._ask(SHARE_GROUP_HEARTBEAT, request, caller)
        return response

    def join(self, member_id: str, *topics: str, group_id: str = GROUP) -> ShareGroupHeartbeatResponse:
        return self.heartbeat(member_id, 0, list(topics or ("t",)), group_id=group_id)

    def leave(self, member_id: str, group_id: str = GROUP) -> ShareGroupHeartbeatResponse:
        return self.heartbeat(member_id, -1, group_id=group_id)

    def beat(self, member_id: str, group_id: str = GROUP) -> ShareGroupHeartbeatResponse:
        """As a member that has heard everything."""
        return self.heartbeat(member_id, self.group(group_id).members[member_id].epoch, group_id=group_id)

    def settle_state(self, *, succeeded: bool = True) -> None:
        """The share coordinator answers all that it was asked."""
        while self.to_create:
            asked = self.to_create.pop(0)
            self.settle(asked, succeeded=succeeded)

    def settle(self, asked: StateToCreate, *, succeeded: bool = True) -> None:
        partitions = {topic_id: list(offsets) for topic_id, offsets in asked.offsets.items()}
        self._run(lambda share, context: share.initialized(context, asked.group_id, partitions, succeeded=succeeded))

    def alter(self, topic: str, offsets: dict[int, int], group_id: str = GROUP) -> AlterOffsets:
        partitions = [
            AlterShareGroupOffsetsRequestPartition(partition_index=p, start_offset=o) for p, o in offsets.items()
        ]
        request = AlterShareGroupOffsetsRequest(
            group_id=group_id, topics=[AlterShareGroupOffsetsRequestTopic(topic_name=topic, partitions=partitions)]
        )
        outcome: AlterOffsets = self._ask(BEGIN_ALTER_OFFSETS, request)
        return outcome

    def delete_offsets(self, *topics: str, group_id: str = GROUP) -> DeleteState:
        request = DeleteShareGroupOffsetsRequest(
            group_id=group_id, topics=[DeleteShareGroupOffsetsRequestTopic(topic_name=topic) for topic in topics]
        )
        outcome: DeleteState = self._ask(BEGIN_DELETE_OFFSETS, request)
        return outcome

    def begin_delete_group(self, group_id: str = GROUP) -> DeleteState:
        outcome: DeleteState = self._ask(BEGIN_DELETE_GROUP, group_id)
        return outcome

    def deleted(self, *topics: str, group_id: str = GROUP) -> None:
        topic_ids = [self.topic_id(topic) for topic in topics]
        self._run(lambda share, context: share.deleted(context, group_id, topic_ids))

    def delete_group(self, group_id: str = GROUP) -> ErrorCode:
        return ErrorCode(self._ask(DELETE_GROUP, group_id))

    # To look at

    def group(self, group_id: str = GROUP) -> ShareGroup:
        group = self.shard.groups[group_id]
        assert isinstance(group, ShareGroup)
        return group

    def name_of(self, topic_id: bytes) -> str:
        """Also of a topic that has gone."""
        return topic_id.partition(b":")[0].decode()

    def has_group(self, group_id: str = GROUP) -> bool:
        return group_id in self.shard.groups

    def assigned(self, member_id: str) -> dict[str, list[int]]:
        """By topic name, as the member was told last."""
        view = self._view
        return {
            view.name_of(topic_id) or "?": sorted(partitions)
            for topic_id, partitions in self.group().members[member_id].assigned.items()
        }

    def initialized(self, topic: str) -> list[int]:
        share = self.group().state.initialized.get(self.topic_id(topic))
        return [] if share is None else sorted(share.partitions)

    def durable(self, shard: GroupShard | None = None) -> dict[str, Any]:
        """What must be the same in a shard that was loaded from the log."""
        return {
            group_id: (
                group.epoch,
                group.metadata_hash,
                group.members,
                group.target,
                group.assignment_epoch,
                group.assignment_timestamp_ms,
                group.state,
            )
            for group_id, group in (shard or self.shard).groups.items()
            if isinstance(group, ShareGroup)
        }

    def _ask(self, operation: Operation[GroupShard, Q, P, T], request: Q, /, *args: P.args, **kwargs: P.kwargs) -> Any:
        request_id = next(self._request_ids)
        self.run(operation.decide(self.shard, request_id, self.now_ms, request, *args, **kwargs))
        return self.answers[request_id]

    def _run(self, decide: Callable[[ShareGroups, DecisionContext], object]) -> None:
        """What nobody waits for here."""
        context = self.shard.new_context(self.now_ms)
        decide(self.shard.share, context)
        self.run(context.decision)

    def _new_shard(self) -> GroupShard:
        return GroupShard(self.config, lambda: "suffix", lambda: self._view, lambda group: self.settings.get(group, {}))

    def _put(self, name: str, count: int) -> None:
        self._lives[name] = self._lives.get(name, 0) + 1
        self._counts[name] = count
        self._see()

    def _see(self) -> None:
        topics = {name: (self.topic_id(name), count) for name, count in self._counts.items()}
        self._view = FixedTopics(topics, version=self._view.version + 1)

    def _tell(self, name: str, *, created: bool) -> None:
        self._see()
        self.run(self.shard.topics_changed(TopicChanges(frozenset({name}), created), self.now_ms))
