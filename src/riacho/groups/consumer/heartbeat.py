"""ConsumerGroupHeartbeat decided: a member joins, reports, and gets its assignment (KIP-848).

Fields that have not changed since the last request are left out by the client. A request with all of them, and any that
joins, is answered with the whole assignment; others only when it has changed.
"""

from __future__ import annotations

import msgspec

from riacho.base.coordination import Caller
from riacho.base.errors import ErrorCode, KafkaError
from riacho.groups.consumer.current_assignment import Owned
from riacho.groups.consumer.decision_context import ConsumerDecisionContext
from riacho.groups.consumer.group import ConsumerGroup
from riacho.groups.consumer.joining import (
    check_member_epoch,
    check_room,
    dynamic_member,
    joining_static_member,
    known_static_member,
)
from riacho.groups.consumer.member import (
    JOIN_EPOCH,
    LEAVE_EPOCH,
    LEAVE_STATIC_EPOCH,
    ConsumerMember,
    PartitionEpochs,
    partition_ids,
)
from riacho.groups.consumer.rebalance import is_bumped_by, next_group_epoch, next_target, store_subscription, take_step
from riacho.groups.consumer.regex import RegexChange, update_regexes
from riacho.groups.consumer.regex_watch import MayDescribe
from riacho.groups.consumer.sessions import CONSUMER_JOIN_TIMER, CONSUMER_SYNC_TIMER
from riacho.groups.consumer_config import ConsumerGroupConfig
from riacho.wire.messages.consumer_group_heartbeat_request import ConsumerGroupHeartbeatRequest
from riacho.wire.messages.consumer_group_heartbeat_response import (
    Assignment,
    ConsumerGroupHeartbeatResponse,
    TopicPartitions,
)

# From this version on the client makes up its own member id (KIP-1082).
_MEMBER_ID_VERSION = 1
_NOT_GIVEN = -1


def check_request(request: ConsumerGroupHeartbeatRequest, version: int, config: ConsumerGroupConfig) -> None:
    """What is wrong with the request by itself."""
    epoch = request.member_epoch
    if (version >= _MEMBER_ID_VERSION or epoch > 0 or epoch == LEAVE_EPOCH) and _is_blank(request.member_id):
        raise _invalid("MemberId can't be empty.")
    if _is_blank(request.group_id):
        raise _invalid("GroupId can't be empty.")
    if _is_blank(request.instance_id):
        raise _invalid("InstanceId can't be empty.")
    if _is_blank(request.rack_id):
        raise _invalid("RackId can't be empty.")
    if epoch == JOIN_EPOCH:
        _check_join(request)
    elif epoch == LEAVE_STATIC_EPOCH and request.instance_id is None:
        raise _invalid("InstanceId can't be null.")
    elif epoch < LEAVE_STATIC_EPOCH:
        raise _invalid("MemberEpoch is invalid.")
    if request.server_assignor is not None and request.server_assignor not in config.assignors:
        raise KafkaError(
            ErrorCode.UNSUPPORTED_ASSIGNOR,
            f"ServerAssignor {request.server_assignor} is not supported. Supported assignors:"
            f" {', '.join(config.assignors)}.",
        )


def decide_heartbeat(
    group: ConsumerGroup,
    request: ConsumerGroupHeartbeatRequest,
    member_id: str,
    caller: Caller,
    may_describe: MayDescribe,
    act: ConsumerDecisionContext,
    *,
    is_upgrade: bool = False,
) -> ConsumerGroupHeartbeatResponse:
    """`member_id` is the request's, or a new one where the version leaves it to the coordinator. An upgrade has to
    make a new target in any case: what a classic group had assigned may have been a step of a rebalance."""
    check_room(group, request.member_id, act)
    owned = owned_partitions(request)
    member = _member(group, request, member_id, owned, act)
    updated = _updated(member, request, caller)
    has_names_changed = store_subscription(group, member, updated, act)
    regex_change = update_regexes(group, member, updated, may_describe, act)
    must_bump = is_upgrade or is_bumped_by(regex_change, has_names_changed)
    group_epoch = next_group_epoch(group, member, updated, act, force=must_bump)
    target = next_target(group, group_epoch, member, updated, act)
    has_subscription_changed = has_names_changed or regex_change is not RegexChange.NONE
    stepped = take_step(group, updated, target, owned, act, has_subscription_changed=has_subscription_changed)
    act.refresh_session(group.group_id, member_id, act.session_timeout_ms(group.group_id))
    if member.uses_classic_protocol:
        # It has changed over to the consumer protocol.
        act.cancel(CONSUMER_JOIN_TIMER, group.group_id, member_id)
        act.cancel(CONSUMER_SYNC_TIMER, group.group_id, member_id)
    response = ConsumerGroupHeartbeatResponse(
        member_id=stepped.member_id,
        member_epoch=stepped.member_epoch,
        heartbeat_interval_ms=act.heartbeat_interval_ms(group.group_id),
    )
    if _is_full(request) or stepped.assigned != member.assigned:
        response.assignment = _assignment(stepped.assigned)
    return response


def owned_partitions(request: ConsumerGroupHeartbeatRequest) -> Owned | None:
    if request.topic_partitions is None:
        return None
    owned: dict[bytes, set[int]] = {}
    for topic in request.topic_partitions:
        owned.setdefault(topic.topic_id, set()).update(topic.partitions)
    return owned


def _member(
    group: ConsumerGroup,
    request: ConsumerGroupHeartbeatRequest,
    member_id: str,
    owned: Owned | None,
    act: ConsumerDecisionContext,
) -> ConsumerMember:
    is_joining = request.member_epoch == JOIN_EPOCH
    if request.instance_id is not None and is_joining:
        return joining_static_member(group, member_id, request.instance_id, act, is_classic=False)
    if request.instance_id is not None:
        member = known_static_member(group, member_id, request.instance_id)
    else:
        member = dynamic_member(group, member_id, may_create=is_joining)
    check_member_epoch(member, request.member_epoch, owned)
    return member


def _updated(member: ConsumerMember, request: ConsumerGroupHeartbeatRequest, caller: Caller) -> ConsumerMember:
    """What the request leaves out stays as it was."""
    names, regex = request.subscribed_topic_names, request.subscribed_topic_regex
    timeout_ms = request.rebalance_timeout_ms
    return msgspec.structs.replace(
        member,
        instance_id=member.instance_id if request.instance_id is None else request.instance_id,
        rack_id=member.rack_id if request.rack_id is None else request.rack_id,
        rebalance_timeout_ms=member.rebalance_timeout_ms if timeout_ms == _NOT_GIVEN else timeout_ms,
        server_assignor=member.server_assignor if request.server_assignor is None else request.server_assignor,
        subscribed_topic_names=member.subscribed_topic_names if names is None else frozenset(names),
        subscribed_topic_regex=member.subscribed_topic_regex if regex is None else regex,
        client_id=caller.client_id,
        client_host=caller.client_host,
        classic=None,
    )


def _is_full(request: ConsumerGroupHeartbeatRequest) -> bool:
    if request.member_epoch == JOIN_EPOCH:
        return True
    has_subscription = request.subscribed_topic_names is not None or request.subscribed_topic_regex is not None
    return request.rebalance_timeout_ms != _NOT_GIVEN and has_subscription and request.topic_partitions is not None


def _assignment(partitions: PartitionEpochs) -> Assignment:
    return Assignment(
        topic_partitions=[
            TopicPartitions(topic_id=topic_id, partitions=indexes)
            for topic_id, indexes in partition_ids(partitions).items()
        ]
    )


def _check_join(request: ConsumerGroupHeartbeatRequest) -> None:
    if request.rebalance_timeout_ms == _NOT_GIVEN:
        raise _invalid("RebalanceTimeoutMs must be provided in first request.")
    if request.topic_partitions is None or request.topic_partitions:
        raise _invalid("TopicPartitions must be empty when (re-)joining.")
    if request.subscribed_topic_names is None and request.subscribed_topic_regex is None:
        raise _invalid("Either SubscribedTopicNames or SubscribedTopicRegex must be non-null when (re-)joining.")


def _is_blank(text: str | None) -> bool:
    return text is not None and not text.strip()


def _invalid(detail: str) -> KafkaError:
    return KafkaError(ErrorCode.INVALID_REQUEST, detail)
