"""Share group records: the bytes are Kafka's, and what is written is read again."""

from __future__ import annotations

from typing import Any

import pytest

from riacho.base.coordination import CoordinatorRecord
from riacho.groups.share import records
from riacho.groups.share.member import ShareMember
from riacho.groups.share.state import ShareState, TopicShare

T = bytes(range(16))
MEMBER = ShareMember(
    "m1", "r", "c", "/h", frozenset({"b", "a"}), epoch=3, previous_epoch=2, assigned={T: frozenset({1, 0})}
)
STATE = ShareState({T: TopicShare("t", frozenset({2}))}, {T: TopicShare("t", frozenset({0, 1}))}, {T: "t"})

# Laid out by hand from the message definitions: keys are version 0 with 16-bit lengths behind their type, values are
# flexible behind their version.
GROUP_KEY = "0001 67"
MEMBER_KEY = "0001 67 0002 6d31"
GOLDEN = {
    "member": (records.member_record("g", MEMBER), f"000a {MEMBER_KEY}", "0000 02 72 02 63 03 2f68 03 02 61 02 62 00"),
    "group": (records.group_epoch_record("g", 5, -2), f"000b {GROUP_KEY}", "0000 00000005 fffffffffffffffe 00"),
    "target epoch": (
        records.target_epoch_record("g", 5, 258),
        f"000c {GROUP_KEY}",
        "0000 00000005 01 00 08 0000000000000102",
    ),
    "target": (
        records.target_record("g", "m1", {T: frozenset({1, 0})}),
        f"000d {MEMBER_KEY}",
        f"0000 02 {T.hex()} 03 00000000 00000001 00 00",
    ),
    "current": (
        records.current_record("g", MEMBER),
        f"000e {MEMBER_KEY}",
        f"0000 00000003 00000002 00 02 {T.hex()} 03 00000000 00000001 00 00",
    ),
    "state": (
        records.state_record("g", STATE),
        f"000f {GROUP_KEY}",
        f"0000 02 {T.hex()} 02 74 02 00000002 00 02 {T.hex()} 02 74 03 00000000 00000001 00 02 {T.hex()} 02 74 00 00",
    ),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_bytes(name: str) -> None:
    record, key, value = GOLDEN[name]
    assert record.key.hex() == key.replace(" ", "")
    assert record.value is not None
    assert record.value.hex() == value.replace(" ", "")


def parsed(record: CoordinatorRecord) -> Any:
    assert record.value is not None
    return records.parse_value(int.from_bytes(record.key[:2], "big"), record.value)


def test_what_is_written_is_read_again() -> None:
    assert records.state_of(parsed(records.state_record("g", STATE))) == STATE
    current = parsed(records.current_record("g", MEMBER))
    assert records.assigned_of(current.assigned_partitions) == MEMBER.assigned
    key: Any = records.parse_key(14, records.current_record("g", MEMBER).key)
    assert (key.group_id, key.member_id) == ("g", "m1")


def test_tombstones_of_a_member_and_of_a_group() -> None:
    types = [int.from_bytes(record.key[:2], "big") for record in records.group_tombstones("g", ["m1"])]
    assert types == [14, 13, 10, 12, 15, 11]
    assert all(record.value is None for record in records.group_tombstones("g", ["m1"]))
