"""The offsets topic's records for classic groups: a 2-byte version before the key's or the value's fields.

The version of the key tells the type: 0 and 1 are committed offsets, 2 is a group. Values are written in the versions
that Kafka 4.3 writes, and read in any.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Any, NamedTuple

from riacho.base.coordination import CoordinatorRecord
from riacho.base.ids import ZERO_UUID
from riacho.groups.classic.members import Member
from riacho.wire.codec import decode, decoder, encoder
from riacho.wire.messages.group_metadata_key import GroupMetadataKey
from riacho.wire.messages.group_metadata_value import GroupMetadataValue, MemberMetadata
from riacho.wire.messages.legacy_offset_commit_value import LegacyOffsetCommitValue
from riacho.wire.messages.offset_commit_key import OffsetCommitKey
from riacho.wire.messages.offset_commit_value import OffsetCommitValue

LEGACY_OFFSET_COMMIT = 0
OFFSET_COMMIT = 1
GROUP_METADATA = 2

GROUP_METADATA_VALUE_VERSION = 3
# Version 1 is the only one with an expiry time of its own; 3 has the leader epoch, 4 the topic id.
_VALUE_VERSION_EXPIRING = 1
_VALUE_VERSION_PLAIN = 3
_VALUE_VERSION_TOPIC_ID = 4

_VERSION = struct.Struct(">h")
_OFFSET_COMMIT_KEY_VERSION = _VERSION.pack(OFFSET_COMMIT)
_VALUE_VERSIONS = {version: _VERSION.pack(version) for version in range(5)}

_encode_offset_key = encoder(OffsetCommitKey, 0)
_decode_offset_key = decoder(OffsetCommitKey, 0)


class CommittedOffset(NamedTuple):
    offset: int
    leader_epoch: int
    metadata: str
    commit_timestamp_ms: int
    # Only what clients older than KIP-211 asked for; -1 follows the broker's retention.
    expire_timestamp_ms: int
    topic_id: bytes


class OffsetCommitted(NamedTuple):
    """A committed offset, or its removal when there is no value."""

    group_id: str
    topic: str
    partition: int
    committed: CommittedOffset | None


class GroupStored(NamedTuple):
    """A group's metadata, or its removal when there is no value."""

    group_id: str
    metadata: GroupMetadataValue | None


def offset_commit_key(group_id: str, topic: str, partition: int) -> bytes:
    out = bytearray(_OFFSET_COMMIT_KEY_VERSION)
    _encode_offset_key(OffsetCommitKey(group=group_id, topic=topic, partition=partition), out, None)
    return bytes(out)


def offset_commit_record(key: bytes, committed: CommittedOffset) -> CoordinatorRecord:
    version = _VALUE_VERSION_PLAIN
    if committed.expire_timestamp_ms != -1:
        version = _VALUE_VERSION_EXPIRING
    elif committed.topic_id != ZERO_UUID:
        version = _VALUE_VERSION_TOPIC_ID
    out = bytearray(_VALUE_VERSIONS[version])
    value = OffsetCommitValue(
        offset=committed.offset,
        leader_epoch=committed.leader_epoch,
        metadata=committed.metadata,
        commit_timestamp=committed.commit_timestamp_ms,
        expire_timestamp=committed.expire_timestamp_ms,
        topic_id=committed.topic_id,
    )
    encoder(OffsetCommitValue, version)(value, out, None)
    return CoordinatorRecord(key, bytes(out))


def offset_tombstone(group_id: str, topic: str, partition: int) -> CoordinatorRecord:
    return CoordinatorRecord(offset_commit_key(group_id, topic, partition), None)


def group_metadata_record(group_id: str, metadata: GroupMetadataValue) -> CoordinatorRecord:
    out = bytearray(_VERSION.pack(GROUP_METADATA_VALUE_VERSION))
    encoder(GroupMetadataValue, GROUP_METADATA_VALUE_VERSION)(metadata, out, None)
    return CoordinatorRecord(_group_metadata_key(group_id), bytes(out))


def group_tombstone(group_id: str) -> CoordinatorRecord:
    return CoordinatorRecord(_group_metadata_key(group_id), None)


def member_metadata(
    members: Iterable[Member], protocol_name: str, assignments: dict[str, bytes]
) -> list[MemberMetadata]:
    return [
        MemberMetadata(
            member_id=member.member_id,
            group_instance_id=member.group_instance_id,
            client_id=member.client_id,
            client_host=member.client_host,
            rebalance_timeout=member.rebalance_timeout_ms,
            session_timeout=member.session_timeout_ms,
            subscription=member.metadata(protocol_name),
            assignment=assignments[member.member_id],
        )
        for member in members
    ]


def record_type_of(key: bytes) -> int:
    """-1 for a key that is none."""
    return _VERSION.unpack_from(key)[0] if len(key) >= _VERSION.size else -1


def parse_record(key: bytes, value: bytes | None) -> OffsetCommitted | GroupStored | None:
    """What a record says; None for a type that classic groups do not have."""
    record_type = record_type_of(key)
    if record_type in (OFFSET_COMMIT, LEGACY_OFFSET_COMMIT):
        where, _ = _decode_offset_key(key, _VERSION.size)
        committed = None if value is None else _parse_offset_value(record_type, value)
        return OffsetCommitted(where.group, where.topic, where.partition, committed)
    if record_type == GROUP_METADATA:
        group_id = decode(GroupMetadataKey, 0, key, _VERSION.size).group
        if value is None:
            return GroupStored(group_id, None)
        version = _VERSION.unpack_from(value)[0]
        return GroupStored(group_id, decode(GroupMetadataValue, version, value, _VERSION.size))
    return None


def _parse_offset_value(record_type: int, value: bytes) -> CommittedOffset:
    version = _VERSION.unpack_from(value)[0]
    if record_type == LEGACY_OFFSET_COMMIT:
        legacy = decode(LegacyOffsetCommitValue, version, value, _VERSION.size)
        return CommittedOffset(legacy.offset, -1, legacy.metadata, legacy.commit_timestamp, -1, ZERO_UUID)
    stored: Any
    stored, _ = decoder(OffsetCommitValue, version)(value, _VERSION.size)
    return CommittedOffset(
        stored.offset,
        stored.leader_epoch,
        stored.metadata,
        stored.commit_timestamp,
        stored.expire_timestamp,
        stored.topic_id,
    )


def _group_metadata_key(group_id: str) -> bytes:
    out = bytearray(_VERSION.pack(GROUP_METADATA))
    encoder(GroupMetadataKey, 0)(GroupMetadataKey(group=group_id), out, None)
    return bytes(out)
