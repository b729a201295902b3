"""The offsets topic's records of consumer groups: types 3 to 8 and 16, in the versions that Kafka 4.3 writes (KIP-848).

| type | key | value |
|---|---|---|
| 3 | group | its epoch and metadata hash |
| 4 | group | topics as brokers before 4.1 kept them; only ever removed |
| 5 | group, member | what the member asked for |
| 6 | group | the epoch of the target assignment, and when it was computed |
| 7 | group, member | the member's part of the target assignment |
| 8 | group, member | where the member stands |
| 16 | group, pattern | the topics that the pattern matches |
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from typing import Any

from riacho.base.coordination import CoordinatorRecord
from riacho.groups.consumer.member import ClassicProtocols, ConsumerMember, PartitionEpochs
from riacho.wire.codec import decode, encoder
from riacho.wire.messages.consumer_group_current_member_assignment_key import ConsumerGroupCurrentMemberAssignmentKey
from riacho.wire.messages.consumer_group_current_member_assignment_value import (
    ConsumerGroupCurrentMemberAssignmentValue,
    TopicPartitions,
)
from riacho.wire.messages.consumer_group_member_metadata_key import ConsumerGroupMemberMetadataKey
from riacho.wire.messages.consumer_group_member_metadata_value import (
    ClassicMemberMetadata,
    ClassicProtocol,
    ConsumerGroupMemberMetadataValue,
)
from riacho.wire.messages.consumer_group_metadata_key import ConsumerGroupMetadataKey
from riacho.wire.messages.consumer_group_metadata_value import ConsumerGroupMetadataValue
from riacho.wire.messages.consumer_group_partition_metadata_key import ConsumerGroupPartitionMetadataKey
from riacho.wire.messages.consumer_group_partition_metadata_value import ConsumerGroupPartitionMetadataValue
from riacho.wire.messages.consumer_group_regular_expression_key import ConsumerGroupRegularExpressionKey
from riacho.wire.messages.consumer_group_regular_expression_value import ConsumerGroupRegularExpressionValue
from riacho.wire.messages.consumer_group_target_assignment_member_key import ConsumerGroupTargetAssignmentMemberKey
from riacho.wire.messages.consumer_group_target_assignment_member_value import (
    ConsumerGroupTargetAssignmentMemberValue,
    TopicPartition,
)
from riacho.wire.messages.consumer_group_target_assignment_metadata_key import (
    ConsumerGroupTargetAssignmentMetadataKey,
)
from riacho.wire.messages.consumer_group_target_assignment_metadata_value import (
    ConsumerGroupTargetAssignmentMetadataValue,
)

GROUP = 3
PARTITION_METADATA = 4
MEMBER = 5
TARGET_METADATA = 6
TARGET_MEMBER = 7
CURRENT_ASSIGNMENT = 8
REGULAR_EXPRESSION = 16

_TYPES: dict[int, tuple[type[Any], type[Any]]] = {
    GROUP: (ConsumerGroupMetadataKey, ConsumerGroupMetadataValue),
    PARTITION_METADATA: (ConsumerGroupPartitionMetadataKey, ConsumerGroupPartitionMetadataValue),
    MEMBER: (ConsumerGroupMemberMetadataKey, ConsumerGroupMemberMetadataValue),
    TARGET_METADATA: (ConsumerGroupTargetAssignmentMetadataKey, ConsumerGroupTargetAssignmentMetadataValue),
    TARGET_MEMBER: (ConsumerGroupTargetAssignmentMemberKey, ConsumerGroupTargetAssignmentMemberValue),
    CURRENT_ASSIGNMENT: (ConsumerGroupCurrentMemberAssignmentKey, ConsumerGroupCurrentMemberAssignmentValue),
    REGULAR_EXPRESSION: (ConsumerGroupRegularExpressionKey, ConsumerGroupRegularExpressionValue),
}
RECORD_TYPES = frozenset(_TYPES)
_VALUE_VERSION = 0
_VERSION = struct.Struct(">h")


def parse(record_type: int, key: bytes, value: bytes | None) -> tuple[Any, Any | None]:
    """The key, and the value unless it is a tombstone."""
    key_class, value_class = _TYPES[record_type]
    parsed_key = decode(key_class, 0, key, _VERSION.size)
    if value is None:
        return parsed_key, None
    return parsed_key, decode(value_class, _VERSION.unpack_from(value)[0], value, _VERSION.size)


def group_epoch_record(group_id: str, epoch: int, metadata_hash: int) -> CoordinatorRecord:
    return _record(
        GROUP,
        ConsumerGroupMetadataKey(group_id=group_id),
        ConsumerGroupMetadataValue(epoch=epoch, metadata_hash=metadata_hash),
    )


def group_epoch_tombstone(group_id: str) -> CoordinatorRecord:
    return _record(GROUP, ConsumerGroupMetadataKey(group_id=group_id))


def partition_metadata_tombstone(group_id: str) -> CoordinatorRecord:
    return _record(PARTITION_METADATA, ConsumerGroupPartitionMetadataKey(group_id=group_id))


def member_record(group_id: str, member: ConsumerMember) -> CoordinatorRecord:
    value = ConsumerGroupMemberMetadataValue(
        instance_id=member.instance_id,
        rack_id=member.rack_id,
        client_id=member.client_id,
        client_host=member.client_host,
        subscribed_topic_names=sorted(member.subscribed_topic_names),
        subscribed_topic_regex=member.subscribed_topic_regex,
        rebalance_timeout_ms=member.rebalance_timeout_ms,
        server_assignor=member.server_assignor,
        classic_member_metadata=None if member.classic is None else _classic_metadata(member.classic),
    )
    return _record(MEMBER, ConsumerGroupMemberMetadataKey(group_id=group_id, member_id=member.member_id), value)


def member_tombstone(group_id: str, member_id: str) -> CoordinatorRecord:
    return _record(MEMBER, ConsumerGroupMemberMetadataKey(group_id=group_id, member_id=member_id))


def target_metadata_record(group_id: str, epoch: int, timestamp_ms: int) -> CoordinatorRecord:
    return _record(
        TARGET_METADATA,
        ConsumerGroupTargetAssignmentMetadataKey(group_id=group_id),
        ConsumerGroupTargetAssignmentMetadataValue(assignment_epoch=epoch, assignment_timestamp=timestamp_ms),
    )


def target_metadata_tombstone(group_id: str) -> CoordinatorRecord:
    return _record(TARGET_METADATA, ConsumerGroupTargetAssignmentMetadataKey(group_id=group_id))


def target_member_record(group_id: str, member_id: str, partitions: Mapping[bytes, Iterable[int]]) -> CoordinatorRecord:
    value = ConsumerGroupTargetAssignmentMemberValue(
        topic_partitions=[
            TopicPartition(topic_id=topic_id, partitions=sorted(indexes))
            for topic_id, indexes in sorted(partitions.items())
        ]
    )
    return _record(TARGET_MEMBER, ConsumerGroupTargetAssignmentMemberKey(group_id=group_id, member_id=member_id), value)


def target_member_tombstone(group_id: str, member_id: str) -> CoordinatorRecord:
    return _record(TARGET_MEMBER, ConsumerGroupTargetAssignmentMemberKey(group_id=group_id, member_id=member_id))


def current_assignment_record(group_id: str, member: ConsumerMember) -> CoordinatorRecord:
    value = ConsumerGroupCurrentMemberAssignmentValue(
        member_epoch=member.member_epoch,
        previous_member_epoch=member.previous_member_epoch,
        state=member.state,
        assigned_partitions=_topic_partitions(member.assigned),
        partitions_pending_revocation=_topic_partitions(member.pending_revocation),
    )
    key = ConsumerGroupCurrentMemberAssignmentKey(group_id=group_id, member_id=member.member_id)
    return _record(CURRENT_ASSIGNMENT, key, value)


def current_assignment_tombstone(group_id: str, member_id: str) -> CoordinatorRecord:
    return _record(CURRENT_ASSIGNMENT, ConsumerGroupCurrentMemberAssignmentKey(group_id=group_id, member_id=member_id))


def regular_expression_record(
    group_id: str, regex: str, topics: Iterable[str], version: int, timestamp_ms: int
) -> CoordinatorRecord:
    return _record(
        REGULAR_EXPRESSION,
        ConsumerGroupRegularExpressionKey(group_id=group_id, regular_expression=regex),
        ConsumerGroupRegularExpressionValue(topics=sorted(topics), version=version, timestamp=timestamp_ms),
    )


def regular_expression_tombstone(group_id: str, regex: str) -> CoordinatorRecord:
    return _record(REGULAR_EXPRESSION, ConsumerGroupRegularExpressionKey(group_id=group_id, regular_expression=regex))


def partition_epochs(topics: Iterable[TopicPartitions], member_epoch: int) -> PartitionEpochs:
    """Records of brokers before 4.3 have no epoch for each partition: the member's own stands in."""
    default = max(member_epoch, 0)
    found: PartitionEpochs = {}
    for topic in topics:
        epochs = topic.assignment_epochs
        if epochs is None or len(epochs) != len(topic.partitions):
            found[topic.topic_id] = dict.fromkeys(topic.partitions, default)
        else:
            found[topic.topic_id] = dict(zip(topic.partitions, epochs, strict=True))
    return found


def _topic_partitions(partitions: PartitionEpochs) -> list[TopicPartitions]:
    return [
        TopicPartitions(
            topic_id=topic_id,
            partitions=sorted(epochs),
            assignment_epochs=[epochs[index] for index in sorted(epochs)],
        )
        for topic_id, epochs in sorted(partitions.items())
    ]


def _classic_metadata(classic: ClassicProtocols) -> ClassicMemberMetadata:
    return ClassicMemberMetadata(
        session_timeout_ms=classic.session_timeout_ms,
        supported_protocols=[ClassicProtocol(name=name, metadata=metadata) for name, metadata in classic.protocols],
    )


def _record(record_type: int, key: Any, value: Any | None = None) -> CoordinatorRecord:
    key_bytes = bytearray(_VERSION.pack(record_type))
    encoder(type(key), 0)(key, key_bytes, None)
    if value is None:
        return CoordinatorRecord(bytes(key_bytes), None)
    value_bytes = bytearray(_VERSION.pack(_VALUE_VERSION))
    encoder(type(value), _VALUE_VERSION)(value, value_bytes, None)
    return CoordinatorRecord(bytes(key_bytes), bytes(value_bytes))
