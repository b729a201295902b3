from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode
from riacho.groups.config import GroupConfig
from support.group_world import GroupWorld, durable_state

AT = ("t", 0)


def test_a_member_commits_and_anyone_reads_it_back() -> None:
    world = GroupWorld()
    (member_id,) = world.stable_group()
    assert world.commit({AT: 42}, member_id, 1, leader_epoch=7, metadata="note") == {AT: 0}
    assert world.fetch({"t": [0, 1]}) == {AT: (42, 7, "note", 0), ("t", 1): (-1, -1, "", 0)}


def test_the_last_commit_counts() -> None:
    world = GroupWorld()
    world.commit({AT: 5})
    world.commit({AT: 3})
    assert world.fetch({"t": [0]})[AT][0] == 3


@pytest.mark.parametrize("metadata", ["", None, "é" * 2_048, "x" * 4_096])
def test_metadata_round_trips_up_to_the_limit(metadata: str | None) -> None:
    world = GroupWorld()
    assert world.commit({AT: 1}, metadata=metadata) == {AT: 0}
    assert world.fetch({"t": [0]})[AT][2] == (metadata or "")


def test_too_much_metadata_is_refused_per_partition() -> None:
    world = GroupWorld()
    assert world.commit({AT: 1}, metadata="x" * 4_097) == {AT: ErrorCode.OFFSET_METADATA_TOO_LARGE}
    assert world.log == []
    small = GroupWorld(GroupConfig(offset_metadata_size_max=1))
    assert small.commit({AT: 1}, metadata="xy") == {AT: ErrorCode.OFFSET_METADATA_TOO_LARGE}


def test_a_commit_without_a_group_makes_a_simple_one() -> None:
    world = GroupWorld()
    assert world.commit({AT: 1}) == {AT: 0}
    assert (world.state, world.group.protocol_type) == ("Empty", None)
    assert durable_state(world.reloaded()) == durable_state(world.shard)


@pytest.mark.parametrize(("version", "code"), [(8, ErrorCode.ILLEGAL_GENERATION), (9, ErrorCode.GROUP_ID_NOT_FOUND)])
def test_a_generation_of_a_group_that_is_not_there(version: int, code: ErrorCode) -> None:
    world = GroupWorld()
    assert world.commit({AT: 1}, "m", 3, version=version) == {AT: code}


def test_strangers_commit_only_while_the_group_is_empty() -> None:
    world = GroupWorld()
    (member_id,) = world.stable_group()
    assert world.commit({AT: 1}) == {AT: ErrorCode.UNKNOWN_MEMBER_ID}
    assert world.commit({AT: 1}, member_id, -1) == {AT: ErrorCode.ILLEGAL_GENERATION}
    world.leave((member_id, None))
    assert world.commit({AT: 1}) == {AT: 0}
    assert world.commit({AT: 1}, member_id, 2) == {AT: ErrorCode.UNKNOWN_MEMBER_ID}


def test_membership_is_checked_before_the_generation() -> None:
    world = GroupWorld()
    (member_id,) = world.stable_group()
    assert world.commit({AT: 1}, "ghost", 9) == {AT: ErrorCode.UNKNOWN_MEMBER_ID}
    assert world.commit({AT: 1}, member_id, 9) == {AT: ErrorCode.ILLEGAL_GENERATION}


def test_no_commits_between_join_and_sync_but_before_rejoining() -> None:
    world = GroupWorld()
    (member_id,) = world.stable_group()
    world.join(version=3)
    assert world.state == "PreparingRebalance"
    assert world.commit({AT: 1}, member_id, 1) == {AT: 0}
    world.join(member_id)
    assert world.state == "CompletingRebalance"
    assert world.commit({AT: 2}, member_id, 2) == {AT: ErrorCode.REBALANCE_IN_PROGRESS}
    assert world.fetch({"t": [0]})[AT][0] == 1


def test_a_commit_keeps_the_session_alive() -> None:
    world = GroupWorld()
    (member_id,) = world.stable_group(session_timeout_ms=10_000)
    for offset in range(4):
        world.pass_time(9_000)
        assert world.commit({AT: offset}, member_id, 1) == {AT: 0}


def test_offsets_of_many_partitions_survive_a_restart() -> None:
    world = GroupWorld()
    world.commit({(topic, partition): partition * 10 for topic in "tu" for partition in range(3)}, leader_epoch=2)
    before = world.fetch()
    world.restart()
    assert world.fetch() == before
    assert len(before) == 6


def test_a_topic_made_anew_does_not_inherit_offsets() -> None:
    world = GroupWorld()
    old, new = b"o" * 16, b"n" * 16
    world.commit({AT: 9}, version=10, topic_id=old)
    world.restart()
    assert world.fetch({"t": [0]}, topic_id=old)[AT][0] == 9
    assert world.fetch({"t": [0]})[AT][0] == 9
    assert world.fetch({"t": [0]}, topic_id=new)[AT] == (-1, -1, "", 0)


def test_fetching_all_gives_what_is_committed_and_an_unknown_group_nothing() -> None:
    world = GroupWorld()
    world.commit({AT: 1, ("u", 4): 2})
    assert {where: offset for where, (offset, *_) in world.fetch().items()} == {AT: 1, ("u", 4): 2}
    assert world.fetch(group_id="none") == {}
    assert world.fetch({"t": [0]}, group_id="none") == {AT: (-1, -1, "", 0)}


def test_offsets_of_an_open_transaction_are_unstable_until_its_marker() -> None:
    world = GroupWorld()
    world.commit({AT: 1})
    pending = GroupWorld()
    pending.commit({AT: 8})
    (record,) = pending.log
    world.shard.apply(record.key, record.value, 77)
    assert world.fetch({"t": [0]})[AT][0] == 1
    assert world.fetch({"t": [0]}, require_stable=True)[AT] == (-1, -1, "", ErrorCode.UNSTABLE_OFFSET_COMMIT)
    assert world.fetch(require_stable=True)[AT][3] == ErrorCode.UNSTABLE_OFFSET_COMMIT
    world.shard.end_transaction(77, committed=True)
    assert world.fetch({"t": [0]}, require_stable=True)[AT][0] == 8


def test_offsets_of_an_aborted_transaction_never_count() -> None:
    world = GroupWorld()
    pending = GroupWorld()
    pending.commit({AT: 8})
    (record,) = pending.log
    world.shard.apply(record.key, record.value, 77)
    world.shard.end_transaction(77, committed=False)
    assert world.fetch({"t": [0]}, require_stable=True)[AT] == (-1, -1, "", 0)
