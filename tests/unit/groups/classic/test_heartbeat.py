from __future__ import annotations

from riacho.base.errors import ErrorCode
from support.group_world import GroupWorld


def test_heartbeats_keep_a_member_in_and_silence_removes_it() -> None:
    world = GroupWorld()
    (member_id,) = world.stable_group(session_timeout_ms=10_000)
    for _ in range(5):
        world.pass_time(9_999)
        assert world.heartbeat(member_id, 1) == ErrorCode.NONE
    world.pass_time(10_000)
    assert world.state == "Empty"
    assert world.group.generation == 2
    assert world.heartbeat(member_id, 1) == ErrorCode.UNKNOWN_MEMBER_ID


def test_membership_is_checked_before_the_generation() -> None:
    world = GroupWorld()
    (member_id,) = world.stable_group()
    assert world.heartbeat("ghost", 9) == ErrorCode.UNKNOWN_MEMBER_ID
    assert world.heartbeat(member_id, 9) == ErrorCode.ILLEGAL_GENERATION
    assert world.heartbeat(member_id, 1, group_id="none") == ErrorCode.UNKNOWN_MEMBER_ID
    assert world.heartbeat(member_id, 1, group_id="") == ErrorCode.INVALID_GROUP_ID


def test_heartbeats_while_syncing_are_fine_and_while_joining_say_rejoin() -> None:
    world = GroupWorld()
    ids = [world.new_member_id() for _ in range(2)]
    for member_id in ids:
        world.join(member_id)
    world.pass_time(6_000)
    assert world.state == "CompletingRebalance"
    assert world.heartbeat(ids[0], 1) == ErrorCode.NONE
    world.join(version=3)
    assert world.heartbeat(ids[0], 1) == ErrorCode.REBALANCE_IN_PROGRESS


def test_a_dead_member_makes_the_others_rebalance() -> None:
    world = GroupWorld()
    leader, follower = world.stable_group(2, session_timeout_ms=10_000)
    world.pass_time(5_000)
    world.heartbeat(leader, 1)
    world.pass_time(5_000)
    assert world.state == "PreparingRebalance"
    assert follower not in world.group.members
    assert world.heartbeat(leader, 1) == ErrorCode.REBALANCE_IN_PROGRESS


def test_a_member_whose_join_is_parked_need_not_heartbeat() -> None:
    world = GroupWorld()
    leader, follower = world.stable_group(2, session_timeout_ms=10_000, rebalance_timeout_ms=60_000)
    request_id = world.join(leader, session_timeout_ms=10_000)
    for _ in range(5):
        world.pass_time(9_000)
        world.heartbeat(follower, 1)
    assert leader in world.group.members
    world.join(follower)
    assert world.answers[request_id].generation_id == 2
    # Its session starts with the answer.
    world.pass_time(9_999)
    assert leader in world.group.members
    world.pass_time(1)
    assert leader not in world.group.members


def test_a_member_whose_sync_is_parked_need_not_heartbeat() -> None:
    world = GroupWorld()
    join = {"session_timeout_ms": 6_000, "rebalance_timeout_ms": 60_000}
    leader, follower = (world.new_member_id(**join) for _ in range(2))
    for member_id in (leader, follower):
        world.join(member_id, **join)
    world.pass_time(6_000)
    waiting = world.sync(follower, 1)
    for _ in range(4):
        world.pass_time(5_000)
        world.heartbeat(leader, 1)
    assert waiting in world.parked()
    world.sync(leader, 1, {follower: b"x"})
    assert world.answers[waiting].assignment == b"x"
    world.pass_time(5_999)
    assert follower in world.group.members


def test_who_waits_for_a_dead_leader_is_not_removed_with_it() -> None:
    """All sessions end at the same moment; those whose SyncGroup is parked get a new one when the leader's is over."""
    world = GroupWorld()
    join = {"session_timeout_ms": 10_000, "rebalance_timeout_ms": 60_000}
    leader, *others = (world.new_member_id(**join) for _ in range(3))
    for member_id in (leader, *others):
        world.join(member_id, **join)
    world.pass_time(6_000)
    waiting = [world.sync(member_id, 1) for member_id in others]
    world.pass_time(10_000)
    assert [world.answers[request_id].error_code for request_id in waiting] == [ErrorCode.REBALANCE_IN_PROGRESS] * 2
    assert list(world.group.members) == others
    assert world.state == "PreparingRebalance"
