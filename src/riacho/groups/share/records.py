"""The offsets topic's records of share groups (types 10 to 15), as Kafka 4.3 writes them: all values are version 0."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping

from riacho.base.coordination import CoordinatorRecord
from riacho.groups.share.member import AssignedPartitions, ShareMember
from riacho.groups.share.state import ShareState, TopicShare, TopicShares
from riacho.wire.codec import decode, encoder
from riacho.wire.messages.share_group_current_member_assignment_key import ShareGroupCurrentMemberAssignmentKey
from riacho.wire.messages.share_group_current_member_assignment_value import (
    ShareGroupCurrentMemberAssignmentValue,
    TopicPartitions,
)
from riacho.wire.messages.share_group_member_metadata_key import ShareGroupMemberMetadataKey
from riacho.wire.messages.share_group_member_metadata_value import ShareGroupMemberMetadataValue
from riacho.wire.messages.share_group_metadata_key import ShareGroupMetadataKey
from riacho.wire.messages.share_group_metadata_value import ShareGroupMetadataValue
from riacho.wire.messages.share_group_state_partition_metadata_key import ShareGroupStatePartitionMetadataKey
from riacho.wire.messages.share_group_state_partition_metadata_value import (
    ShareGroupStatePartitionMetadataValue,
    TopicInfo,
    TopicPartitionsInfo,
)
from riacho.wire.messages.share_group_target_assignment_member_key import ShareGroupTargetAssignmentMemberKey
from riacho.wire.messages.share_group_target_assignment_member_value import (
    ShareGroupTargetAssignmentMemberValue,
    TopicPartition,
)
from riacho.wire.messages.share_group_target_assignment_metadata_key import ShareGroupTargetAssignmentMetadataKey
from riacho.wire.messages.share_group_target_assignment_metadata_value import ShareGroupTargetAssignmentMetadataValue
from riacho.wire.schema import Message

MEMBER_METADATA = 10
GROUP_METADATA = 11
TARGET_ASSIGNMENT_METADATA = 12
TARGET_ASSIGNMENT_MEMBER = 13
CURRENT_MEMBER_ASSIGNMENT = 14
STATE_PARTITION_METADATA = 15

SHARE_RECORD_TYPES = frozenset(range(MEMBER_METADATA, STATE_PARTITION_METADATA + 1))

_KEYS: dict[int, type[Message]] = {
    MEMBER_METADATA: ShareGroupMemberMetadataKey,
    GROUP_METADATA: ShareGroupMetadataKey,
    TARGET_ASSIGNMENT_METADATA: ShareGroupTargetAssignmentMetadataKey,
    TARGET_ASSIGNMENT_MEMBER: ShareGroupTargetAssignmentMemberKey,
    CURRENT_MEMBER_ASSIGNMENT: ShareGroupCurrentMemberAssignmentKey,
    STATE_PARTITION_METADATA: ShareGroupStatePartitionMetadataKey,
}
_VALUES: dict[int, type[Message]] = {
    MEMBER_METADATA: ShareGroupMemberMetadataValue,
    GROUP_METADATA: ShareGroupMetadataValue,
    TARGET_ASSIGNMENT_METADATA: ShareGroupTargetAssignmentMetadataValue,
    TARGET_ASSIGNMENT_MEMBER: ShareGroupTargetAssignmentMemberValue,
    CURRENT_MEMBER_ASSIGNMENT: ShareGroupCurrentMemberAssignmentValue,
    STATE_PARTITION_METADATA: ShareGroupStatePartitionMetadataValue,
}
_VERSION = struct.Struct(">h")
_VALUE_VERSION = 0
# A member of a share group is always stable: nothing is revoked before it is given.
_STABLE = 0


def member_record(group_id: str, member: ShareMember) -> CoordinatorRecord:
    value = ShareGroupMemberMetadataValue(
        rack_id=member.rack_id,
        client_id=member.client_id,
        client_host=member.client_host,
        subscribed_topic_names=sorted(member.subscribed_topic_names),
    )
    return _record(MEMBER_METADATA, _member_key(MEMBER_METADATA, group_id, member.member_id), value)


def group_epoch_record(group_id: str, epoch: int, metadata_hash: int) -> CoordinatorRecord:
    value = ShareGroupMetadataValue(epoch=epoch, metadata_hash=metadata_hash)
    return _record(GROUP_METADATA, ShareGroupMetadataKey(group_id=group_id), value)


def target_epoch_record(group_id: str, epoch: int, timestamp_ms: int) -> CoordinatorRecord:
    value = ShareGroupTargetAssignmentMetadataValue(assignment_epoch=epoch, assignment_timestamp=timestamp_ms)
    return _record(TARGET_ASSIGNMENT_METADATA, ShareGroupTargetAssignmentMetadataKey(group_id=group_id), value)


def target_record(group_id: str, member_id: str, assigned: AssignedPartitions) -> CoordinatorRecord:
    topics = [TopicPartition(topic_id=t, partitions=sorted(partitions)) for t, partitions in assigned.items()]
    key = _member_key(TARGET_ASSIGNMENT_MEMBER, group_id, member_id)
    return _record(TARGET_ASSIGNMENT_MEMBER, key, ShareGroupTargetAssignmentMemberValue(topic_partitions=topics))


def current_record(group_id: str, member: ShareMember) -> CoordinatorRecord:
    value = ShareGroupCurrentMemberAssignmentValue(
        member_epoch=member.epoch,
        previous_member_epoch=member.previous_epoch,
        state=_STABLE,
        assigned_partitions=[
            TopicPartitions(topic_id=t, partitions=sorted(partitions)) for t, partitions in member.assigned.items()
        ],
    )
    return _record(CURRENT_MEMBER_ASSIGNMENT, _member_key(CURRENT_MEMBER_ASSIGNMENT, group_id, member.member_id), value)


def state_record(group_id: str, state: ShareState) -> CoordinatorRecord:
    value = ShareGroupStatePartitionMetadataValue(
        initializing_topics=_topic_infos(state.initializing),
        initialized_topics=_topic_infos(state.initialized),
        deleting_topics=[TopicInfo(topic_id=t, topic_name=name) for t, name in state.deleting.items()],
    )
    return _record(STATE_PARTITION_METADATA, ShareGroupStatePartitionMetadataKey(group_id=group_id), value)


def member_tombstones(group_id: str, member_id: str) -> list[CoordinatorRecord]:
    """In Kafka's order: what the member has, what it should have, that it is."""
    return [
        _tombstone(record_type, _member_key(record_type, group_id, member_id))
        for record_type in (CURRENT_MEMBER_ASSIGNMENT, TARGET_ASSIGNMENT_MEMBER, MEMBER_METADATA)
    ]


def group_tombstones(group_id: str, member_ids: Iterable[str] = ()) -> list[CoordinatorRecord]:
    of_members = [record for member_id in member_ids for record in member_tombstones(group_id, member_id)]
    return [
        *of_members,
        _tombstone(TARGET_ASSIGNMENT_METADATA, ShareGroupTargetAssignmentMetadataKey(group_id=group_id)),
        _tombstone(STATE_PARTITION_METADATA, ShareGroupStatePartitionMetadataKey(group_id=group_id)),
        _tombstone(GROUP_METADATA, ShareGroupMetadataKey(group_id=group_id)),
    ]


def parse_key(record_type: int, key: bytes) -> Message:
    return decode(_KEYS[record_type], 0, key, _VERSION.size)


def parse_value(record_type: int, value: bytes) -> Message:
    version: int = _VERSION.unpack_from(value)[0]
    return decode(_VALUES[record_type], version, value, _VERSION.size)


def assigned_of(topics: Iterable[TopicPartition] | Iterable[TopicPartitions]) -> AssignedPartitions:
    return {topic.topic_id: frozenset(topic.partitions) for topic in topics}


def state_of(value: ShareGroupStatePartitionMetadataValue) -> ShareState:
    return ShareState(
        _shares_of(value.initializing_topics),
        _shares_of(value.initialized_topics),
        {topic.topic_id: topic.topic_name for topic in value.deleting_topics},
    )


def _shares_of(topics: Iterable[TopicPartitionsInfo]) -> TopicShares:
    return {topic.topic_id: TopicShare(topic.topic_name, frozenset(topic.partitions)) for topic in topics}


def _topic_infos(shares: Mapping[bytes, TopicShare]) -> list[TopicPartitionsInfo]:
    return [
        TopicPartitionsInfo(topic_id=topic_id, topic_name=share.name, partitions=sorted(share.partitions))
        for topic_id, share in shares.items()
    ]


def _member_key(record_type: int, group_id: str, member_id: str) -> Message:
    return _KEYS[record_type](group_id=group_id, member_id=member_id)


def _record(record_type: int, key: Message, value: Message) -> CoordinatorRecord:
    out = bytearray(_VERSION.pack(_VALUE_VERSION))
    encoder(type(value), _VALUE_VERSION)(value, out, None)
    return CoordinatorRecord(_key_bytes(record_type, key), bytes(out))


def _tombstone(record_type: int, key: Message) -> CoordinatorRecord:
    return CoordinatorRecord(_key_bytes(record_type, key), None)


def _key_bytes(record_type: int, key: Message) -> bytes:
    out = bytearray(_VERSION.pack(record_type))
    encoder(type(key), 0)(key, out, None)
    return bytes(out)
