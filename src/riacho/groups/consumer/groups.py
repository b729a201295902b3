"""The consumer groups of a shard (KIP-848): their requests, timers, records and changes of topics.

Requests come in with the shard's context; each is decided as a whole (`ConsumerDecisionContext`) and stands, or is
refused and leaves nothing behind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from riacho.base.coordination import Caller
from riacho.base.errors import ErrorCode, KafkaError
from riacho.groups.classic.answers import join_error, sync_error
from riacho.groups.classic.group import ClassicGroup
from riacho.groups.classic.rebalance import prepare_rebalance
from riacho.groups.classic.sessions import refresh_session
from riacho.groups.consumer.classic_members import decide_classic_heartbeat, decide_classic_join, decide_classic_sync
from riacho.groups.consumer.decision_context import ConsumerDecisionContext
from riacho.groups.consumer.group import ConsumerGroup
from riacho.groups.consumer.heartbeat import check_request, decide_heartbeat
from riacho.groups.consumer.leave import decide_classic_leave, decide_leave, fence_members
from riacho.groups.consumer.member import JOIN_EPOCH, ConsumerMember, MemberState
from riacho.groups.consumer.migration import (
    check_upgrade,
    classic_group_of,
    downgrade_records,
    leave_classic_state,
    may_downgrade,
    upgrade_records,
)
from riacho.groups.consumer.rebalance import watch_revocation
from riacho.groups.consumer.records import RECORD_TYPES
from riacho.groups.consumer.regex import regexes_resolved
from riacho.groups.consumer.regex_watch import MayDescribe, RegexWatch
from riacho.groups.consumer.replay import apply_consumer_record, group_of
from riacho.groups.consumer.sessions import CONSUMER_REBALANCE_TIMER, CONSUMER_SESSION_TIMER, TIMER_KINDS
from riacho.groups.decision_context import DecisionContext
from riacho.groups.group import Group
from riacho.groups.metadata_hash import TopicHashes
from riacho.groups.timers import TimerKey
from riacho.groups.topics_view import TopicChanges
from riacho.wire.messages.consumer_group_heartbeat_request import ConsumerGroupHeartbeatRequest
from riacho.wire.messages.consumer_group_heartbeat_response import ConsumerGroupHeartbeatResponse
from riacho.wire.messages.heartbeat_request import HeartbeatRequest
from riacho.wire.messages.heartbeat_response import HeartbeatResponse
from riacho.wire.messages.join_group_request import JoinGroupRequest
from riacho.wire.messages.leave_group_request import LeaveGroupRequest
from riacho.wire.messages.sync_group_request import SyncGroupRequest


class ConsumerGroups:
    record_types = RECORD_TYPES
    timer_kinds = TIMER_KINDS

    def __init__(
        self, groups: dict[str, Group], arriving: dict[str, ClassicGroup], new_member_id: Callable[[], str]
    ) -> None:
        """`groups` are all of the shard, by id; `arriving`, the classic ones whose first record is not applied yet."""
        self._groups = groups
        self._arriving = arriving
        self._new_member_id = new_member_id
        self._hashes = TopicHashes()
        self._watch = RegexWatch()

    # Requests

    def heartbeat(
        self,
        request: ConsumerGroupHeartbeatRequest,
        version: int,
        caller: Caller,
        may_describe: MayDescribe,
        request_id: int,
        context: DecisionContext,
    ) -> None:
        def decide(act: ConsumerDecisionContext) -> ConsumerGroupHeartbeatResponse:
            check_request(request, version, act.config)
            if request.member_epoch < JOIN_EPOCH:
                return decide_leave(self._consumer_group(request.group_id), request, self._downgrade, act)
            group = self._group_to_join(request, act)
            member_id = request.member_id or self._new_member_id()
            is_upgrade = group is not self._groups.get(request.group_id) and not group.is_empty
            return decide_heartbeat(group, request, member_id, caller, may_describe, act, is_upgrade=is_upgrade)

        self._decide(decide, heartbeat_refused, request_id, context)

    def join(
        self,
        group: ConsumerGroup,
        request: JoinGroupRequest,
        version: int,
        caller: Caller,
        request_id: int,
        context: DecisionContext,
    ) -> None:
        self._decide(
            lambda act: decide_classic_join(
                group, request, version, caller, self._new_member_id(), self._downgrade_to, act
            ),
            lambda error: join_error(error.code),
            request_id,
            context,
        )

    def sync(self, group: ConsumerGroup, request: SyncGroupRequest, request_id: int, context: DecisionContext) -> None:
        self._decide(
            lambda act: decide_classic_sync(group, request, act),
            lambda error: sync_error(error.code),
            request_id,
            context,
        )

    def classic_heartbeat(
        self, group: ConsumerGroup, request: HeartbeatRequest, request_id: int, context: DecisionContext
    ) -> None:
        self._decide(
            lambda act: HeartbeatResponse(error_code=decide_classic_heartbeat(group, request, act)),
            lambda error: HeartbeatResponse(error_code=error.code),
            request_id,
            context,
        )

    def leave(
        self, group: ConsumerGroup, request: LeaveGroupRequest, version: int, request_id: int, context: DecisionContext
    ) -> None:
        act = self._consumer_context(context)
        context.decision.answer(request_id, decide_classic_leave(group, request, version, self._downgrade, act))
        act.commit()

    def regexes_resolved(
        self, group_id: str, matched: Mapping[str, frozenset[str]] | None, version: int, context: DecisionContext
    ) -> None:
        """What came of a `ResolveRegexes`; None when it failed, and the next heartbeat may ask again."""
        self._watch.resolving.discard(group_id)
        group = self._groups.get(group_id)
        if matched is not None and isinstance(group, ConsumerGroup):
            act = self._consumer_context(context)
            regexes_resolved(group, matched, version, act)
            act.commit()

    # Time, topics, records

    def expire(self, key: TimerKey, context: DecisionContext) -> None:
        group = self._groups.get(key.group_id)
        member = group.members.get(key.member_id) if isinstance(group, ConsumerGroup) else None
        if member is None:
            return
        assert isinstance(group, ConsumerGroup)
        if (
            key.kind == CONSUMER_REBALANCE_TIMER
            and group.live.rebalance_epochs.get(key.member_id) != member.member_epoch
        ):
            # It has moved on since.
            return
        act = self._consumer_context(context)
        fence_members(group, [member], self._downgrade, act)
        act.commit()

    def topics_changed(self, changes: TopicChanges, context: DecisionContext) -> None:
        """The next heartbeat of a group that subscribes to any of them looks at its topics again."""
        self._hashes.forget(changes.names)
        if changes.has_created:
            self._watch.last_created_version = context.topics.version
        for group in self._groups.values():
            if isinstance(group, ConsumerGroup) and not changes.names.isdisjoint(group.topic_subscribers):
                group.live.metadata_deadline_ms = 0

    def apply(self, record_type: int, key: bytes, value: bytes | None) -> None:
        apply_consumer_record(self._groups, record_type, key, value)

    def finish_loading(self, context: DecisionContext) -> None:
        """Members get a fresh session each, for who knows how long they were not heard."""
        self._watch.last_created_version = context.topics.version
        act = self._consumer_context(context)
        for group in self._groups.values():
            if isinstance(group, ConsumerGroup):
                for member in group.members.values():
                    self._await(group, member, act)
        act.commit()

    def abandon(self, code: ErrorCode, context: DecisionContext) -> None:
        """Nothing is ever parked here."""

    # Within

    def _await(self, group: ConsumerGroup, member: ConsumerMember, act: ConsumerDecisionContext) -> None:
        group_id, member_id = group.group_id, member.member_id
        act.schedule(CONSUMER_SESSION_TIMER, group_id, member_id, act.session_timeout_ms(group_id))
        if member.state is MemberState.UNREVOKED_PARTITIONS:
            watch_revocation(group, member, act)

    def _consumer_context(self, context: DecisionContext) -> ConsumerDecisionContext:
        return ConsumerDecisionContext(context, self._hashes, self._watch)

    def _decide(
        self,
        decide: Callable[[ConsumerDecisionContext], Any],
        refuse: Callable[[KafkaError], Any],
        request_id: int,
        context: DecisionContext,
    ) -> None:
        act = self._consumer_context(context)
        try:
            response = decide(act)
        except KafkaError as error:
            context.decision.answer(request_id, refuse(error))
            return
        context.decision.answer(request_id, response)
        act.commit()

    def _consumer_group(self, group_id: str) -> ConsumerGroup:
        group = self._groups.get(group_id)
        if isinstance(group, ConsumerGroup):
            return group
        if group is None:
            raise KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, f"Consumer group {group_id} not found.")
        raise KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} is not a consumer group.")

    def _group_to_join(self, request: ConsumerGroupHeartbeatRequest, act: ConsumerDecisionContext) -> ConsumerGroup:
        """The first heartbeat of a member may make the group, or make a classic one over."""
        group = self._groups.get(request.group_id)
        if request.member_epoch != JOIN_EPOCH or isinstance(group, ConsumerGroup):
            return self._consumer_group(request.group_id)
        if group is None:
            return ConsumerGroup(request.group_id)
        if not isinstance(group, ClassicGroup):
            return self._consumer_group(request.group_id)
        if group.is_empty:
            act.records += group.tombstones()
            return ConsumerGroup(request.group_id)
        check_upgrade(group, act.context.config)
        act.records += upgrade_records(group, act)
        leave_classic_state(group, act)
        return group_of(group.group_id, act.records)

    def _downgrade(self, group: ConsumerGroup, leaving: list[ConsumerMember], act: ConsumerDecisionContext) -> bool:
        if not may_downgrade(group, leaving, act.context.config):
            return False
        self._become_classic(group, leaving, None, True, act)
        return True

    def _downgrade_to(
        self, group: ConsumerGroup, joining: ConsumerMember, must_rebalance: bool, act: ConsumerDecisionContext
    ) -> None:
        self._become_classic(group, [], joining, must_rebalance, act)

    def _become_classic(
        self,
        group: ConsumerGroup,
        leaving: list[ConsumerMember],
        joining: ConsumerMember | None,
        must_rebalance: bool,
        act: ConsumerDecisionContext,
    ) -> None:
        classic = classic_group_of(group, leaving, joining, act)
        act.records += downgrade_records(group, classic, joining)
        for member_id in group.members:
            act.cancel_all(group.group_id, member_id)

        def take_over() -> None:
            for member in classic.members.values():
                refresh_session(classic, member, act.context)
            if must_rebalance:
                prepare_rebalance(classic, act.context)

        act.on_commit(lambda: self._arriving.update({group.group_id: classic}))
        act.once_applied(take_over)


def heartbeat_refused(error: KafkaError) -> ConsumerGroupHeartbeatResponse:
    return ConsumerGroupHeartbeatResponse(error_code=error.code, error_message=error.detail or None)
