from __future__ import annotations

from riacho.base.errors import ErrorCode
from support.group_world import GroupWorld


def completing(world: GroupWorld, size: int = 2) -> list[str]:
    ids = [world.new_member_id() for _ in range(size)]
    for member_id in ids:
        world.join(member_id)
    world.pass_time(6_000)
    assert world.state == "CompletingRebalance"
    return ids


def test_followers_wait_for_the_leader_and_all_get_their_own() -> None:
    world = GroupWorld()
    leader, follower = completing(world)
    waiting = world.sync(follower, 1)
    assert waiting in world.parked()
    request_id = world.sync(leader, 1, {leader: b"left", follower: b"right"})
    assert world.answers[request_id].assignment == b"left"
    assert world.answers[waiting].assignment == b"right"
    assert world.answers[waiting].protocol_name == "range"
    assert world.answers[waiting].protocol_type == "consumer"
    assert world.state == "Stable"


def test_a_follower_after_the_leader_is_answered_at_once() -> None:
    world = GroupWorld()
    leader, follower = completing(world)
    world.sync(leader, 1, {leader: b"left", follower: b"right"})
    assert world.answers[world.sync(follower, 1)].assignment == b"right"


def test_who_the_leader_left_out_gets_nothing() -> None:
    world = GroupWorld()
    leader, follower = completing(world)
    waiting = world.sync(follower, 1)
    world.sync(leader, 1, {leader: b"all", "stranger": b"?"})
    assert (world.answers[waiting].error_code, world.answers[waiting].assignment) == (0, b"")


def test_membership_is_checked_before_generation_before_protocol() -> None:
    world = GroupWorld()
    leader, _ = completing(world)

    def error(member_id: str, generation: int, **how: str) -> int:
        return int(world.answers[world.sync(member_id, generation, **how)].error_code)  # type: ignore[arg-type]

    assert error("ghost", 7, protocol_name="other") == ErrorCode.UNKNOWN_MEMBER_ID
    assert error(leader, 7, protocol_name="other") == ErrorCode.ILLEGAL_GENERATION
    assert error(leader, 1, protocol_name="other") == ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    assert error(leader, 1, protocol_type="connect") == ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    assert error(leader, 1, group_id="none") == ErrorCode.UNKNOWN_MEMBER_ID
    assert error(leader, 1, group_id="") == ErrorCode.INVALID_GROUP_ID
    assert world.state == "CompletingRebalance"


def test_the_right_protocol_passes() -> None:
    world = GroupWorld()
    leader, _ = completing(world)
    request_id = world.sync(leader, 1, {}, protocol_type="consumer", protocol_name="range")
    assert world.answers[request_id].error_code == ErrorCode.NONE


def test_a_new_member_sends_the_syncing_ones_back_to_join() -> None:
    world = GroupWorld()
    leader, follower = completing(world)
    waiting = world.sync(follower, 1)
    world.join(version=3)
    assert world.state == "PreparingRebalance"
    assert world.answers[waiting].error_code == ErrorCode.REBALANCE_IN_PROGRESS
    assert world.answers[world.sync(leader, 1, {})].error_code == ErrorCode.REBALANCE_IN_PROGRESS


def test_a_second_sync_supersedes_the_parked_one() -> None:
    world = GroupWorld()
    leader, follower = completing(world)
    old, new = world.sync(follower, 1), world.sync(follower, 1)
    assert world.answers[old].error_code == ErrorCode.REBALANCE_IN_PROGRESS
    world.sync(leader, 1, {follower: b"x"})
    assert world.answers[new].assignment == b"x"


def test_members_that_never_sync_are_removed_and_the_rest_rebalances() -> None:
    world = GroupWorld()
    join = {"session_timeout_ms": 100_000, "rebalance_timeout_ms": 30_000}
    ids = [world.new_member_id(**join) for _ in range(2)]
    for member_id in ids:
        world.join(member_id, **join)
    world.pass_time(6_000)
    world.sync(ids[0], 1, {})
    assert world.state == "Stable"
    world.pass_time(29_999)
    assert world.state == "Stable"
    world.pass_time(1)
    assert world.state == "PreparingRebalance"
    assert list(world.group.members) == [ids[0]]


def test_nobody_leading_the_sync_removes_the_leader() -> None:
    world = GroupWorld()
    join = {"session_timeout_ms": 100_000, "rebalance_timeout_ms": 30_000}
    ids = [world.new_member_id(**join) for _ in range(2)]
    for member_id in ids:
        world.join(member_id, **join)
    world.pass_time(6_000)
    waiting = world.sync(ids[1], 1)
    world.pass_time(30_000)
    assert world.answers[waiting].error_code == ErrorCode.REBALANCE_IN_PROGRESS
    assert list(world.group.members) == [ids[1]]


def test_a_parked_sync_is_answered_when_its_member_is_removed() -> None:
    world = GroupWorld()
    _, follower = completing(world)
    waiting = world.sync(follower, 1)
    world.leave((follower, None))
    assert world.answers[waiting].error_code == ErrorCode.UNKNOWN_MEMBER_ID
    assert world.parked() == set()
