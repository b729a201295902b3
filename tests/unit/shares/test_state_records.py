"""The bytes are those that Apache Kafka 4.3 writes to `__share_group_state`."""

from __future__ import annotations

from riacho.shares.state_batches import StateBatch
from riacho.shares.state_records import (
    ShareKey,
    Snapshot,
    StoredState,
    Update,
    decode_record,
    snapshot_record,
    update_record,
)

KEY = ShareKey("g87aea588", bytes.fromhex("093499fbd4a1489c92b025aaaf2c23e5"), 0)
KEY_FIELDS = "0009" + b"g87aea588".hex() + "093499fbd4a1489c92b025aaaf2c23e5" + "00000000"


def test_a_snapshot_as_apache_kafka_writes_it() -> None:
    state = StoredState(1, 1, 0, 0, 0, (), 1794756177026, 1794756177026)
    key, value = snapshot_record(KEY, state)
    assert key.hex() == "0000" + KEY_FIELDS
    assert value is not None
    assert value.hex() == (
        "00000000000100000001000000000000000000000000000001a1dfcdec82000001a1dfcdec820101000400000000"
    )
    assert decode_record(key, value) == Snapshot(KEY, state)


def test_an_update_as_apache_kafka_writes_it() -> None:
    change = StoredState(2, -1, 3, 2, 2, (StateBatch(22, 22, 2, 1),))
    key, value = update_record(KEY, change)
    assert key.hex() == "0001" + KEY_FIELDS
    assert value is not None
    assert value.hex() == (
        "00000000000200000003000000000000000202000000000000001600000000000000160200010001000400000002"
    )
    assert decode_record(key, value) == Update(KEY, change)


def test_a_removal_is_a_snapshot_without_a_value() -> None:
    key, value = snapshot_record(KEY, None)
    assert value is None
    assert decode_record(key, value) == Snapshot(KEY, None)


def test_types_of_a_newer_version_are_left_alone() -> None:
    assert decode_record(b"\x00\x09rest", b"\x00\x00") is None
