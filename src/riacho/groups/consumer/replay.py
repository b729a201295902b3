"""Records of consumer groups taken in: the only writer of their durable state, live and on reload."""

from __future__ import annotations

from typing import Any

import msgspec

from riacho.base.coordination import CoordinatorRecord
from riacho.groups.classic.group import ClassicGroup
from riacho.groups.classic.records import record_type_of
from riacho.groups.consumer import records
from riacho.groups.consumer.group import ConsumerGroup, ResolvedRegex
from riacho.groups.consumer.member import LEAVE_EPOCH, ClassicProtocols, ConsumerMember, MemberState
from riacho.groups.group import Group

_NO_ASSIGNMENT_EPOCH = -1


def apply_consumer_record(groups: dict[str, Group], record_type: int, key: bytes, value: bytes | None) -> None:
    parsed_key, parsed = records.parse(record_type, key, value)
    group = groups.get(parsed_key.group_id)
    if not isinstance(group, ConsumerGroup):
        # A classic group that is known by its offsets alone makes room; any other has gone over to this one's place,
        # and then there is nothing left to remove.
        if parsed is None or not (group is None or (isinstance(group, ClassicGroup) and group.is_empty)):
            return
        group = groups[parsed_key.group_id] = ConsumerGroup(parsed_key.group_id)
    if record_type == records.GROUP and parsed is None:
        del groups[group.group_id]
    else:
        _APPLY[record_type](group, parsed_key, parsed)


def group_of(group_id: str, written: list[CoordinatorRecord]) -> ConsumerGroup:
    """The group that these records, which are only being decided, will make."""
    groups: dict[str, Group] = {}
    for key, value in written:
        record_type = record_type_of(key)
        if record_type in records.RECORD_TYPES:
            apply_consumer_record(groups, record_type, key, value)
    group = groups[group_id]
    assert isinstance(group, ConsumerGroup)
    return group


def _apply_group(group: ConsumerGroup, key: Any, value: Any) -> None:
    group.group_epoch = value.epoch
    group.metadata_hash = value.metadata_hash


def _apply_partition_metadata(group: ConsumerGroup, key: Any, value: Any | None) -> None:
    group.has_partition_metadata_record = value is not None


def _apply_member(group: ConsumerGroup, key: Any, value: Any | None) -> None:
    if value is None:
        group.remove_member(key.member_id)
        return
    classic = value.classic_member_metadata
    member = group.members.get(key.member_id) or ConsumerMember(member_id=key.member_id)
    group.put_member(
        msgspec.structs.replace(
            member,
            instance_id=value.instance_id,
            rack_id=value.rack_id,
            client_id=value.client_id,
            client_host=value.client_host,
            rebalance_timeout_ms=value.rebalance_timeout_ms,
            subscribed_topic_names=frozenset(value.subscribed_topic_names),
            subscribed_topic_regex=value.subscribed_topic_regex,
            server_assignor=value.server_assignor,
            classic=None
            if classic is None
            else ClassicProtocols(
                classic.session_timeout_ms,
                tuple((protocol.name, bytes(protocol.metadata)) for protocol in classic.supported_protocols),
            ),
        )
    )


def _apply_target_metadata(group: ConsumerGroup, key: Any, value: Any | None) -> None:
    group.assignment_epoch = _NO_ASSIGNMENT_EPOCH if value is None else value.assignment_epoch
    group.assignment_timestamp_ms = 0 if value is None else value.assignment_timestamp


def _apply_target_member(group: ConsumerGroup, key: Any, value: Any | None) -> None:
    if value is None:
        group.target.pop(key.member_id, None)
    else:
        group.target[key.member_id] = {
            topic.topic_id: frozenset(topic.partitions) for topic in value.topic_partitions if topic.partitions
        }


def _apply_current_assignment(group: ConsumerGroup, key: Any, value: Any | None) -> None:
    member = group.members.get(key.member_id)
    if value is not None:
        epoch = value.member_epoch
        group.put_member(
            msgspec.structs.replace(
                member or ConsumerMember(member_id=key.member_id),
                member_epoch=epoch,
                previous_member_epoch=value.previous_member_epoch,
                state=MemberState.stored(value.state),
                assigned=records.partition_epochs(value.assigned_partitions, epoch),
                pending_revocation=records.partition_epochs(value.partitions_pending_revocation, epoch),
            )
        )
    elif member is not None:
        # Its member record goes next.
        group.put_member(
            msgspec.structs.replace(
                member, member_epoch=LEAVE_EPOCH, previous_member_epoch=LEAVE_EPOCH, assigned={}, pending_revocation={}
            )
        )


def _apply_regular_expression(group: ConsumerGroup, key: Any, value: Any | None) -> None:
    resolved = None if value is None else ResolvedRegex(frozenset(value.topics), value.version, value.timestamp)
    group.put_regex(key.regular_expression, resolved)


_APPLY = {
    records.GROUP: _apply_group,
    records.PARTITION_METADATA: _apply_partition_metadata,
    records.MEMBER: _apply_member,
    records.TARGET_METADATA: _apply_target_metadata,
    records.TARGET_MEMBER: _apply_target_member,
    records.CURRENT_ASSIGNMENT: _apply_current_assignment,
    records.REGULAR_EXPRESSION: _apply_regular_expression,
}
