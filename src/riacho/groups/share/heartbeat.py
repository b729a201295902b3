"""ShareGroupHeartbeat decided: joining, staying, leaving, and being left out when the session is over (KIP-932)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from riacho.base.coordination import Caller
from riacho.base.errors import ErrorCode, KafkaError
from riacho.groups.assignors.assignor import GroupSpec, MemberSpec
from riacho.groups.assignors.simple import SimpleAssignor
from riacho.groups.decision_context import DecisionContext
from riacho.groups.group import known_member
from riacho.groups.metadata_hash import TopicHashes
from riacho.groups.share.group import ShareGroup, subscribed_topics
from riacho.groups.share.member import JOIN_EPOCH, LEAVE_EPOCH, AssignedPartitions, ShareMember
from riacho.groups.share.records import (
    current_record,
    group_epoch_record,
    member_record,
    member_tombstones,
    state_record,
    target_epoch_record,
    target_record,
)
from riacho.groups.share.state import TopicShare
from riacho.groups.timers import TimerKey
from riacho.groups.topics_view import TopicsView
from riacho.wire.messages.share_group_heartbeat_request import ShareGroupHeartbeatRequest
from riacho.wire.messages.share_group_heartbeat_response import (
    Assignment,
    ShareGroupHeartbeatResponse,
    TopicPartitions,
)

SHARE_SESSION_TIMER = "share-session"
# Where a share-partition starts is for its leader to say, by share.auto.offset.reset, when it is first read.
UNDECIDED_OFFSET = -1

_ASSIGNOR = SimpleAssignor()


class StateToCreate(NamedTuple):
    """An effect: ask the share coordinator for the state of these partitions, starting at these offsets."""

    group_id: str
    group_epoch: int
    offsets: Mapping[bytes, Mapping[int, int]]


def check_request(request: ShareGroupHeartbeatRequest) -> None:
    for name, value in (
        ("MemberId", request.member_id),
        ("GroupId", request.group_id),
        ("RackId", request.rack_id),
    ):
        if value is not None and not value.strip():
            raise KafkaError(ErrorCode.INVALID_REQUEST, f"{name} can't be empty.")
    if request.member_epoch < LEAVE_EPOCH:
        raise KafkaError(ErrorCode.INVALID_REQUEST, "MemberEpoch is invalid.")
    if request.member_epoch == JOIN_EPOCH and not request.subscribed_topic_names:
        raise KafkaError(ErrorCode.INVALID_REQUEST, "SubscribedTopicNames must be set in first request.")


def decide_heartbeat(
    group: ShareGroup,
    request: ShareGroupHeartbeatRequest,
    caller: Caller,
    hashes: TopicHashes,
    context: DecisionContext,
) -> ShareGroupHeartbeatResponse:
    """`group` may be one that is not there yet; its first record brings it about."""
    known = _known_member(group, request, context)
    member = known.updated(request.rack_id, caller.client_id, caller.client_host, request.subscribed_topic_names)
    records = context.decision.records
    if member != known or member.member_id not in group.members:
        records.append(member_record(group.group_id, member))
    has_changed = member.subscribed_topic_names != known.subscribed_topic_names
    # While an assignment is due anyway, it will take in what has just been set up.
    if group.assignment_epoch >= group.epoch and group.has_unassigned_partitions():
        has_changed = True
    members = group.with_member(member)
    epoch = _advance_epoch(group, members, has_changed, hashes, context)
    target_epoch, target = _update_target(group, members, epoch, context)
    if has_changed or member.epoch != target_epoch:
        reassigned_member = member.reassigned(
            target_epoch, _subscribed(member, target.get(member.member_id, {}), context.topics)
        )
        if reassigned_member != member:
            records.append(current_record(group.group_id, reassigned_member))
            member = reassigned_member
    refresh_share_session(group.group_id, member.member_id, context)
    _create_missing_state(group, members, epoch, context)
    response = ShareGroupHeartbeatResponse(
        member_id=member.member_id,
        member_epoch=member.epoch,
        heartbeat_interval_ms=context.config.share.heartbeat_interval_ms_of(context.group_settings(group.group_id)),
    )
    is_full = request.member_epoch == JOIN_EPOCH or request.subscribed_topic_names is not None
    if is_full or member.assigned != known.assigned:
        response.assignment = Assignment(
            topic_partitions=[
                TopicPartitions(topic_id=topic_id, partitions=sorted(partitions))
                for topic_id, partitions in member.assigned.items()
            ]
        )
    return response


def remove_member(group: ShareGroup, member_id: str, hashes: TopicHashes, context: DecisionContext) -> None:
    """It left, or its session is over."""
    records = context.decision.records
    records.extend(member_tombstones(group.group_id, member_id))
    names = subscribed_topics(group.without_member(member_id).values())
    records.append(group_epoch_record(group.group_id, group.epoch + 1, hashes.of_group(names, context.topics)))
    context.once_applied(lambda: context.timers.cancel(TimerKey(SHARE_SESSION_TIMER, group.group_id, member_id)))


def refresh_share_session(group_id: str, member_id: str, context: DecisionContext) -> None:
    timeout_ms = context.config.share.session_timeout_ms_of(context.group_settings(group_id))
    context.timers.schedule(TimerKey(SHARE_SESSION_TIMER, group_id, member_id), context.now_ms + timeout_ms)


def _known_member(group: ShareGroup, request: ShareGroupHeartbeatRequest, context: DecisionContext) -> ShareMember:
    size_max = context.config.share.group_size_max
    if len(group.members) >= size_max and request.member_id not in group.members:
        detail = f"The share group has reached its maximum capacity of {size_max} members."
        raise KafkaError(ErrorCode.GROUP_MAX_SIZE_REACHED, detail)
    if request.member_epoch == JOIN_EPOCH:
        return group.members.get(request.member_id) or ShareMember(request.member_id)
    member = known_member(group.group_id, group.members, request.member_id)
    # The answer that brought the new epoch may have been lost, so the one before is as good.
    if request.member_epoch not in (member.epoch, member.previous_epoch):
        detail = (
            f"Member epoch {request.member_epoch} is neither the current one ({member.epoch}) nor the one before "
            f"({member.previous_epoch}). The member must abandon all its partitions and rejoin."
        )
        raise KafkaError(ErrorCode.FENCED_MEMBER_EPOCH, detail)
    return member


def _advance_epoch(
    group: ShareGroup,
    members: Mapping[str, ShareMember],
    has_changed: bool,
    hashes: TopicHashes,
    context: DecisionContext,
) -> int:
    if not has_changed and not group.live.is_stale:
        return group.epoch
    metadata_hash = hashes.of_group(subscribed_topics(members.values()), context.topics)
    context.once_applied(group.live.hash_taken)
    if not has_changed and metadata_hash == group.metadata_hash:
        return group.epoch
    context.decision.records.append(group_epoch_record(group.group_id, group.epoch + 1, metadata_hash))
    return group.epoch + 1


def _update_target(
    group: ShareGroup, members: Mapping[str, ShareMember], epoch: int, context: DecisionContext
) -> tuple[int, Mapping[str, AssignedPartitions]]:
    """A new target for a new group epoch, but not sooner after the last than the group's assignment interval."""
    interval_ms = context.config.share.assignment_interval_ms_of(context.group_settings(group.group_id))
    since_ms = group.assignment_timestamp_ms
    if group.assignment_epoch >= epoch or (since_ms and interval_ms and context.now_ms < since_ms + interval_ms):
        return group.assignment_epoch, group.target
    assignable = {topic_id: share.partitions for topic_id, share in group.state.initialized.items()}
    target = {
        member_id: {topic_id: frozenset(partitions) for topic_id, partitions in topics.items()}
        for member_id, topics in _ASSIGNOR.assign(_group_spec(group, members, context.topics), assignable).items()
    }
    records = context.decision.records
    for member_id, assigned in target.items():
        if group.target.get(member_id) != assigned:
            records.append(target_record(group.group_id, member_id, assigned))
    records.append(target_epoch_record(group.group_id, epoch, context.now_ms))
    return epoch, target


def _group_spec(group: ShareGroup, members: Mapping[str, ShareMember], topics: TopicsView) -> GroupSpec:
    names = {name: topics.topic_id(name) for name in subscribed_topics(members.values())}
    ids = {name: topic_id for name, topic_id in names.items() if topic_id is not None}
    return GroupSpec(
        members={
            member_id: MemberSpec(
                frozenset(ids[name] for name in member.subscribed_topic_names if name in ids),
                group.target.get(member_id, {}),
                rack_id=member.rack_id,
            )
            for member_id, member in members.items()
        },
        partition_counts={topic_id: topics.partition_count(name) for name, topic_id in ids.items()},
    )


def _subscribed(member: ShareMember, assigned: AssignedPartitions, topics: TopicsView) -> AssignedPartitions:
    """The target may be older than the subscription."""
    ids = {topics.topic_id(name) for name in member.subscribed_topic_names}
    return {topic_id: partitions for topic_id, partitions in assigned.items() if topic_id in ids}


def _create_missing_state(
    group: ShareGroup, members: Mapping[str, ShareMember], epoch: int, context: DecisionContext
) -> None:
    missing: dict[bytes, TopicShare] = {}
    for name in sorted(subscribed_topics(members.values())):
        topic_id = context.topics.topic_id(name)
        if topic_id is None:
            continue
        in_flight = group.live.is_initializing(
            topic_id, context.now_ms, context.config.share.initialize_retry_interval_ms
        )
        partitions = group.state.missing(topic_id, context.topics.partition_count(name), in_flight=in_flight)
        if partitions:
            missing[topic_id] = TopicShare(name, partitions)
    if not missing:
        return
    context.once_applied(lambda: group.live.initializing(missing, context.now_ms))
    context.decision.records.append(state_record(group.group_id, group.state.begun(missing)))
    offsets = {
        topic_id: dict.fromkeys(sorted(share.partitions), UNDECIDED_OFFSET) for topic_id, share in missing.items()
    }
    context.decision.effects.append(StateToCreate(group.group_id, epoch, offsets))
