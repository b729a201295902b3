"""The records of `__share_group_state`: a 2-byte version before the fields of key and value.

The version of the key tells the type: 0 is a snapshot of one share-partition's state, 1 a change since the last one. A
snapshot without a value removes the share-partition.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from riacho.base.coordination import CoordinatorRecord
from riacho.base.errors import ErrorCode, KafkaError
from riacho.base.ids import uuid_from_text, uuid_text
from riacho.shares.state_batches import StateBatch
from riacho.wire.codec import decoder, encoder
from riacho.wire.messages import share_snapshot_value, share_update_value
from riacho.wire.messages.share_snapshot_key import ShareSnapshotKey
from riacho.wire.messages.share_snapshot_value import ShareSnapshotValue
from riacho.wire.messages.share_update_value import ShareUpdateValue

SNAPSHOT = 0
UPDATE = 1
_VERSION = struct.Struct(">h")
_VALUE_VERSION = _VERSION.pack(0)

# Both kinds of key have the same fields.
_encode_key = encoder(ShareSnapshotKey, 0)
_decode_key = decoder(ShareSnapshotKey, 0)
_encode_snapshot = encoder(ShareSnapshotValue, 0)
_decode_snapshot = decoder(ShareSnapshotValue, 0)
_encode_update = encoder(ShareUpdateValue, 0)
_decode_update = decoder(ShareUpdateValue, 0)


class ShareKey(NamedTuple):
    """A share-partition. Its text is what FindCoordinator is asked for, and what decides on the coordinator."""

    group_id: str
    topic_id: bytes
    partition: int


def key_text(key: ShareKey) -> str:
    return f"{key.group_id}:{uuid_text(key.topic_id)}:{key.partition}"


def key_from_text(text: str) -> ShareKey:
    """As FindCoordinator carries it; the group id itself may hold colons. KafkaError when it is none."""
    try:
        group_id, topic_id, partition = text.rsplit(":", 2)
        key = ShareKey(group_id, uuid_from_text(topic_id), int(partition))
    except ValueError as error:
        raise KafkaError(ErrorCode.INVALID_REQUEST, f"{text!r} is no share-partition") from error
    if not group_id or key.partition < 0:
        raise KafkaError(ErrorCode.INVALID_REQUEST, f"{text!r} is no share-partition")
    return key


class StoredState(NamedTuple):
    """What the coordinator knows of one share-partition."""

    snapshot_epoch: int
    state_epoch: int
    leader_epoch: int
    start_offset: int
    delivery_complete_count: int
    state_batches: tuple[StateBatch, ...] = ()
    create_timestamp_ms: int = 0
    write_timestamp_ms: int = 0


class Snapshot(NamedTuple):
    """A whole state, or its removal when there is none."""

    key: ShareKey
    state: StoredState | None


class Update(NamedTuple):
    """A change of a state; its `state_batches` are those that changed. An update has no state epoch of its own."""

    key: ShareKey
    change: StoredState


def snapshot_record(key: ShareKey, state: StoredState | None) -> CoordinatorRecord:
    if state is None:
        return CoordinatorRecord(_key(SNAPSHOT, key), None)
    out = bytearray(_VALUE_VERSION)
    value = ShareSnapshotValue(
        snapshot_epoch=state.snapshot_epoch,
        state_epoch=state.state_epoch,
        leader_epoch=state.leader_epoch,
        start_offset=state.start_offset,
        delivery_complete_count=state.delivery_complete_count,
        create_timestamp=state.create_timestamp_ms,
        write_timestamp=state.write_timestamp_ms,
        state_batches=[share_snapshot_value.StateBatch(*batch) for batch in state.state_batches],
    )
    _encode_snapshot(value, out, None)
    return CoordinatorRecord(_key(SNAPSHOT, key), bytes(out))


def update_record(key: ShareKey, change: StoredState) -> CoordinatorRecord:
    out = bytearray(_VALUE_VERSION)
    value = ShareUpdateValue(
        snapshot_epoch=change.snapshot_epoch,
        leader_epoch=change.leader_epoch,
        start_offset=change.start_offset,
        delivery_complete_count=change.delivery_complete_count,
        state_batches=[share_update_value.StateBatch(*batch) for batch in change.state_batches],
    )
    _encode_update(value, out, None)
    return CoordinatorRecord(_key(UPDATE, key), bytes(out))


def decode_record(key: bytes, value: bytes | None) -> Snapshot | Update | None:
    """None for a type that a newer version may have added."""
    (kind,) = _VERSION.unpack_from(key)
    if kind not in (SNAPSHOT, UPDATE):
        return None
    decoded = _decode_key(key, 2)[0]
    share = ShareKey(decoded.group_id, decoded.topic_id, decoded.partition)
    if kind == SNAPSHOT:
        return Snapshot(share, None if value is None else _snapshot(_decode_snapshot(value, 2)[0]))
    return None if value is None else Update(share, _update(_decode_update(value, 2)[0]))


def _key(kind: int, key: ShareKey) -> bytes:
    out = bytearray(_VERSION.pack(kind))
    _encode_key(ShareSnapshotKey(group_id=key.group_id, topic_id=key.topic_id, partition=key.partition), out, None)
    return bytes(out)


def _snapshot(value: ShareSnapshotValue) -> StoredState:
    return StoredState(
        value.snapshot_epoch,
        value.state_epoch,
        value.leader_epoch,
        value.start_offset,
        value.delivery_complete_count,
        _batches(value.state_batches),
        value.create_timestamp,
        value.write_timestamp,
    )


def _update(value: ShareUpdateValue) -> StoredState:
    return StoredState(
        value.snapshot_epoch,
        -1,
        value.leader_epoch,
        value.start_offset,
        value.delivery_complete_count,
        _batches(value.state_batches),
    )


def _batches(
    batches: list[share_snapshot_value.StateBatch] | list[share_update_value.StateBatch],
) -> tuple[StateBatch, ...]:
    return tuple(
        StateBatch(batch.first_offset, batch.last_offset, batch.delivery_state, batch.delivery_count)
        for batch in batches
    )
