"""The bytes in the offsets topic, against ones that Kafka's schema gives by hand."""

from __future__ import annotations

import struct

import pytest

from riacho.base.ids import ZERO_UUID
from riacho.groups.classic.records import (
    CommittedOffset,
    GroupStored,
    OffsetCommitted,
    group_metadata_record,
    group_tombstone,
    offset_commit_key,
    offset_commit_record,
    offset_tombstone,
    parse_record,
)
from riacho.groups.classic.subscription import subscribed_topics
from riacho.wire.messages.group_metadata_value import GroupMetadataValue, MemberMetadata
from support.group_world import GroupWorld, subscription

KEY = b"\x00\x01" + b"\x00\x01g" + b"\x00\x01t" + b"\x00\x00\x00\x05"


def committed(**changes: object) -> CommittedOffset:
    return CommittedOffset(42, 7, "m", 1_000, -1, ZERO_UUID)._replace(**changes)  # type: ignore[arg-type]


def test_a_committed_offset_is_written_in_version_3() -> None:
    record = offset_commit_record(offset_commit_key("g", "t", 5), committed())
    assert record.key == KEY
    assert record.value == b"\x00\x03" + struct.pack(">qih1sq", 42, 7, 1, b"m", 1_000)


def test_an_expiry_of_its_own_needs_version_1_which_has_no_leader_epoch() -> None:
    record = offset_commit_record(KEY, committed(expire_timestamp_ms=2_000))
    assert record.value == b"\x00\x01" + struct.pack(">qh1sqq", 42, 1, b"m", 1_000, 2_000)
    assert parse_record(KEY, record.value) == OffsetCommitted(
        "g", "t", 5, committed(expire_timestamp_ms=2_000, leader_epoch=-1)
    )


@pytest.mark.parametrize("changes", [{}, {"topic_id": b"i" * 16}, {"metadata": "ü"}, {"leader_epoch": -1}])
def test_committed_offsets_round_trip(changes: dict[str, object]) -> None:
    key, value = offset_commit_record(KEY, committed(**changes))
    assert value is not None
    assert value[:2] == (b"\x00\x04" if "topic_id" in changes else b"\x00\x03")
    assert parse_record(key, value) == OffsetCommitted("g", "t", 5, committed(**changes))


def test_the_oldest_key_and_value_are_read() -> None:
    key = b"\x00\x00" + KEY[2:]
    value = b"\x00\x00" + struct.pack(">qh1sq", 42, 1, b"m", 1_000)
    assert parse_record(key, value) == OffsetCommitted("g", "t", 5, committed(leader_epoch=-1))


def test_tombstones() -> None:
    assert offset_tombstone("g", "t", 5) == (KEY, None)
    assert parse_record(KEY, None) == OffsetCommitted("g", "t", 5, None)
    assert group_tombstone("g") == (b"\x00\x02\x00\x01g", None)
    assert parse_record(b"\x00\x02\x00\x01g", None) == GroupStored("g", None)


def test_a_group_is_written_in_version_3() -> None:
    value = GroupMetadataValue(
        protocol_type="consumer",
        generation=4,
        protocol="range",
        leader="m",
        current_state_timestamp=9,
        members=[
            MemberMetadata(
                member_id="m",
                group_instance_id="i",
                client_id="c",
                client_host="h",
                rebalance_timeout=2,
                session_timeout=3,
                subscription=b"s",
                assignment=b"a",
            )
        ],
    )
    record = group_metadata_record("g", value)
    assert record.value is not None
    assert record.value == (
        b"\x00\x03\x00\x08consumer\x00\x00\x00\x04\x00\x05range\x00\x01m" + struct.pack(">qi", 9, 1)
        + b"\x00\x01m\x00\x01i\x00\x01c\x00\x01h" + struct.pack(">ii", 2, 3)
        + b"\x00\x00\x00\x01s\x00\x00\x00\x01a"
    )  # fmt: skip
    assert parse_record(*record) == GroupStored("g", value)


@pytest.mark.parametrize("key", [b"", b"\x00", b"\x00\x03\x00\x01g", b"\x00\x63"])
def test_types_that_classic_groups_do_not_have_are_passed_over(key: bytes) -> None:
    assert parse_record(key, b"\x00\x00") is None
    world = GroupWorld()
    world.shard.apply(key, None)
    assert world.shard.groups == {}


def test_a_group_record_without_a_rebalance_timeout_uses_the_session_timeout() -> None:
    value = (
        b"\x00\x00\x00\x08consumer\x00\x00\x00\x04\x00\x05range\x00\x01m\x00\x00\x00\x01"
        b"\x00\x01m\x00\x01c\x00\x01h\x00\x00\x1b\x58\x00\x00\x00\x00\x00\x00\x00\x00"
    )
    world = GroupWorld()
    world.shard.apply(b"\x00\x02\x00\x01g", value)
    member = world.group.members["m"]
    assert (member.session_timeout_ms, member.rebalance_timeout_ms) == (7_000, 7_000)
    assert (world.state, world.group.generation) == ("Stable", 4)


@pytest.mark.parametrize("version", [0, 1, 2, 3])
def test_topics_are_read_from_every_version_of_a_subscription(version: int) -> None:
    assert subscribed_topics([subscription("a", "b", version=version), subscription("c")]) == {"a", "b", "c"}


def test_a_subscription_of_a_later_version_is_read_by_its_beginning() -> None:
    assert subscribed_topics([b"\x00\x63" + subscription("a")[2:] + b"future"]) == {"a"}


@pytest.mark.parametrize("garbage", [b"", b"\x00", b"\xff\xff\x00\x00\x00\x00", b"\x00\x00\x00\x00\x00\x09\x00"])
def test_a_subscription_that_cannot_be_read_is_not_known(garbage: bytes) -> None:
    assert subscribed_topics([subscription("a"), garbage]) is None
