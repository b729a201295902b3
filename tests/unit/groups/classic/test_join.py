from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode
from riacho.groups.config import GroupConfig
from support.group_world import GroupWorld, subscription


def test_a_new_member_is_asked_to_come_back_with_its_id() -> None:
    world = GroupWorld()
    answer = world.answers[world.join()]
    assert answer.error_code == ErrorCode.MEMBER_ID_REQUIRED
    assert answer.member_id == "client-id1"
    assert world.state == "Empty"


@pytest.mark.parametrize("version", [0, 3])
def test_old_versions_join_at_once(version: int) -> None:
    world = GroupWorld()
    request_id = world.join(version=version)
    world.pass_time(3_000)
    assert world.answers[request_id].error_code == ErrorCode.NONE
    assert world.answers[request_id].generation_id == 1


def test_version_0_takes_the_session_timeout_for_the_rebalance_timeout() -> None:
    world = GroupWorld()
    world.join(version=0, session_timeout_ms=7_000, rebalance_timeout_ms=-1)
    assert next(iter(world.group.members.values())).rebalance_timeout_ms == 7_000


def test_a_pending_id_that_is_not_used_expires_with_its_session() -> None:
    world = GroupWorld()
    member_id = world.new_member_id(session_timeout_ms=6_000)
    world.pass_time(5_999)
    assert member_id in world.group.member_list.pending_join
    world.pass_time(1)
    assert member_id not in world.group.member_list.pending_join
    assert world.answers[world.join(member_id)].error_code == ErrorCode.UNKNOWN_MEMBER_ID


def test_the_leader_learns_all_members_and_followers_none() -> None:
    world = GroupWorld()
    first, second = world.new_member_id(), world.new_member_id()
    request_ids = [world.join(first), world.join(second)]
    world.pass_time(6_000)
    leader, follower = (world.answers[request_id] for request_id in request_ids)
    assert leader.leader == follower.leader == leader.member_id == first
    assert [member.member_id for member in leader.members] == [first, second]
    assert leader.members[0].metadata == subscription("t")
    assert follower.members == []
    assert (leader.protocol_type, leader.protocol_name) == ("consumer", "range")
    assert leader.generation_id == follower.generation_id == 1


def test_the_initial_delay_is_extended_while_members_arrive_up_to_the_rebalance_timeout() -> None:
    world = GroupWorld(GroupConfig(initial_rebalance_delay_ms=3_000))
    join = {"rebalance_timeout_ms": 7_000}
    request_ids = [world.join(version=3, **join)]
    for _ in range(6):
        world.pass_time(1_000)
        request_ids.append(world.join(version=3, **join))
    world.pass_time(999)
    assert world.state == "PreparingRebalance"
    world.pass_time(1)
    assert world.state == "CompletingRebalance"
    assert len(world.group.members) == 7
    assert all(world.answers[request_id].error_code == ErrorCode.NONE for request_id in request_ids)


def test_the_initial_delay_ends_when_nobody_else_arrives() -> None:
    world = GroupWorld()
    request_id = world.join(version=3)
    world.pass_time(2_999)
    assert request_id in world.parked()
    world.pass_time(1)
    assert request_id not in world.parked()


@pytest.mark.parametrize(
    ("session_timeout_ms", "code"),
    [
        (5_999, ErrorCode.INVALID_SESSION_TIMEOUT),
        (6_000, ErrorCode.MEMBER_ID_REQUIRED),
        (1_800_000, ErrorCode.MEMBER_ID_REQUIRED),
        (1_800_001, ErrorCode.INVALID_SESSION_TIMEOUT),
    ],
)
def test_session_timeouts_are_bounded(session_timeout_ms: int, code: ErrorCode) -> None:
    world = GroupWorld()
    assert world.answers[world.join(session_timeout_ms=session_timeout_ms)].error_code == code


def test_an_empty_group_id_is_invalid() -> None:
    world = GroupWorld()
    assert world.answers[world.join(group_id="")].error_code == ErrorCode.INVALID_GROUP_ID


def test_an_unknown_member_id_does_not_make_a_group() -> None:
    world = GroupWorld()
    assert world.answers[world.join("ghost")].error_code == ErrorCode.UNKNOWN_MEMBER_ID
    assert world.shard.groups == {}


@pytest.mark.parametrize("join", [{"protocols": {}}, {"protocol_type": ""}])
def test_a_join_without_protocols_is_inconsistent_and_makes_no_group(join: dict[str, object]) -> None:
    world = GroupWorld()
    assert world.answers[world.join(**join)].error_code == ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    assert world.shard.groups == {}
    assert world.log == []


@pytest.mark.parametrize("join", [{"protocols": {"sticky": b""}}, {"protocol_type": "connect"}])
def test_a_member_must_share_a_protocol_with_all_others(join: dict[str, object]) -> None:
    world = GroupWorld()
    world.stable_group()
    assert world.answers[world.join(**join)].error_code == ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    assert world.state == "Stable"


def test_the_protocol_with_most_votes_among_the_shared_ones_wins() -> None:
    world = GroupWorld()
    offers = [
        {"own": b"", "range": b"", "robin": b""},
        {"robin": b"", "range": b""},
        {"robin": b"", "range": b"", "own": b""},
    ]
    request_ids = [world.join(version=3, protocols=offer) for offer in offers]
    world.pass_time(6_000)
    assert {world.answers[request_id].protocol_name for request_id in request_ids} == {"robin"}


def test_a_follower_rejoining_a_stable_group_unchanged_gets_the_current_generation() -> None:
    world = GroupWorld()
    _, follower = world.stable_group(2)
    answer = world.answers[world.join(follower)]
    assert (answer.error_code, answer.generation_id, answer.members) == (ErrorCode.NONE, 1, [])
    assert world.state == "Stable"


def test_the_leader_rejoining_a_stable_group_rebalances() -> None:
    world = GroupWorld()
    leader, follower = world.stable_group(2)
    request_id = world.join(leader)
    assert request_id in world.parked()
    assert world.state == "PreparingRebalance"
    assert world.heartbeat(follower, 1) == ErrorCode.REBALANCE_IN_PROGRESS
    world.join(follower)
    assert world.answers[request_id].generation_id == 2


def test_a_follower_with_new_metadata_rebalances() -> None:
    world = GroupWorld()
    _, follower = world.stable_group(2)
    world.join(follower, protocols={"range": subscription("t", "u")})
    assert world.state == "PreparingRebalance"


def test_joining_again_while_syncing_repeats_the_answer() -> None:
    world = GroupWorld()
    leader, follower = world.new_member_id(), world.new_member_id()
    request_ids = [world.join(leader), world.join(follower)]
    world.pass_time(6_000)
    for member_id, request_id in zip((leader, follower), request_ids, strict=True):
        assert world.answers[world.join(member_id)] == world.answers[request_id]
    assert world.state == "CompletingRebalance"


def test_a_new_join_of_a_parked_member_supersedes_the_old_one() -> None:
    world = GroupWorld()
    member_id = world.new_member_id()
    old, new = world.join(member_id), world.join(member_id)
    assert world.answers[old].error_code == ErrorCode.REBALANCE_IN_PROGRESS
    world.pass_time(3_000)
    assert world.answers[new].error_code == ErrorCode.NONE


def test_members_that_do_not_rejoin_in_time_are_removed() -> None:
    world = GroupWorld()
    leader, follower, late = world.stable_group(3, rebalance_timeout_ms=20_000, session_timeout_ms=100_000)
    request_ids = [world.join(leader), world.join(follower)]
    world.pass_time(59_999)
    assert world.state == "PreparingRebalance"
    world.pass_time(1)
    assert [world.answers[request_id].generation_id for request_id in request_ids] == [2, 2]
    assert late not in world.group.members
    assert world.heartbeat(late, 1) == ErrorCode.UNKNOWN_MEMBER_ID


def test_another_member_leads_when_the_leader_does_not_rejoin() -> None:
    world = GroupWorld()
    leader, follower = world.stable_group(2, session_timeout_ms=200_000)
    request_id = world.join(follower, protocols={"range": subscription("u")})
    world.pass_time(60_000)
    assert world.answers[request_id].leader == follower
    assert leader not in world.group.members


def test_a_pending_member_holds_the_rebalance_up_until_it_expires() -> None:
    world = GroupWorld()
    (leader,) = world.stable_group()
    world.new_member_id(session_timeout_ms=6_000)
    request_id = world.join(leader)
    assert request_id in world.parked()
    world.pass_time(6_000)
    assert world.answers[request_id].generation_id == 2


def test_a_parked_new_member_is_dropped_after_five_minutes() -> None:
    world = GroupWorld()
    (leader,) = world.stable_group(session_timeout_ms=1_800_000, rebalance_timeout_ms=1_000_000)
    request_id = world.join(version=3)
    world.pass_time(299_999)
    assert request_id in world.parked()
    world.pass_time(1)
    assert world.answers[request_id].error_code == ErrorCode.UNKNOWN_MEMBER_ID
    assert list(world.group.members) == [leader]


def test_the_group_size_is_bounded() -> None:
    world = GroupWorld(GroupConfig(group_size_max=2))
    world.stable_group(2)
    assert world.answers[world.join()].error_code == ErrorCode.GROUP_MAX_SIZE_REACHED
    assert world.answers[world.join(version=3)].error_code == ErrorCode.GROUP_MAX_SIZE_REACHED
    assert world.state == "Stable"


def test_a_loaded_group_that_is_too_large_rebalances_and_turns_the_last_away() -> None:
    world = GroupWorld()
    ids = world.stable_group(3)
    world.config = GroupConfig(group_size_max=2)
    world.restart()
    assert world.state == "PreparingRebalance"
    request_ids = [world.join(member_id) for member_id in ids]
    assert [world.answers[request_id].error_code for request_id in request_ids] == [
        0,
        0,
        ErrorCode.GROUP_MAX_SIZE_REACHED,
    ]
    assert list(world.group.members) == ids[:2]
