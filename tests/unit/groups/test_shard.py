from __future__ import annotations

from riacho.base.errors import ErrorCode
from support.group_world import GROUP, GroupWorld, durable_state, subscription


def test_a_loaded_group_goes_on_where_it_was() -> None:
    world = GroupWorld()
    leader, follower = world.stable_group(2)
    world.commit({("t", 0): 5}, leader, 1)
    world.restart()
    assert (world.state, world.group.generation, world.group.member_list.leader_id) == ("Stable", 1, leader)
    assert world.heartbeat(follower, 1) == ErrorCode.NONE
    assert world.answers[world.sync(follower, 1)].assignment == b"a1"
    assert world.fetch({"t": [0]})[("t", 0)][0] == 5
    assert world.group.topics == {"t"}


def test_members_of_a_loaded_group_have_a_whole_session_to_come_back() -> None:
    world = GroupWorld()
    (member_id,) = world.stable_group(session_timeout_ms=10_000)
    world.pass_time(9_000)
    world.restart()
    world.pass_time(9_999)
    assert member_id in world.group.members
    world.pass_time(1)
    assert world.state == "Empty"


def test_a_rebalance_under_way_is_forgotten() -> None:
    world = GroupWorld()
    leader, follower = world.stable_group(2)
    world.join(leader)
    world.join(follower)
    assert (world.state, world.group.generation) == ("CompletingRebalance", 2)
    world.restart()
    assert (world.state, world.group.generation) == ("Stable", 1)
    assert world.heartbeat(leader, 2) == ErrorCode.ILLEGAL_GENERATION


def test_a_group_that_never_got_anywhere_is_remembered_as_empty() -> None:
    world = GroupWorld()
    member_id = world.new_member_id()
    world.restart()
    assert (world.state, world.group.protocol_type) == ("Empty", None)
    assert world.answers[world.join(member_id)].error_code == ErrorCode.UNKNOWN_MEMBER_ID


def test_abandoning_answers_all_who_wait() -> None:
    world = GroupWorld()
    world.new_member_id()
    joins = [world.join(version=3) for _ in range(2)]
    second = GroupWorld()
    leader, follower = (second.new_member_id() for _ in range(2))
    for member_id in (leader, follower):
        second.join(member_id)
    second.pass_time(6_000)
    sync = second.sync(follower, 1)
    world.run(world.shard.abandon(ErrorCode.NOT_COORDINATOR))
    second.run(second.shard.abandon(ErrorCode.NOT_COORDINATOR))
    assert {world.answers[request_id].error_code for request_id in joins} == {ErrorCode.NOT_COORDINATOR}
    assert second.answers[sync].error_code == ErrorCode.NOT_COORDINATOR
    assert world.parked() == second.parked() == set()


def test_groups_do_not_disturb_each_other() -> None:
    world = GroupWorld()
    (member_id,) = world.stable_group(session_timeout_ms=100_000)
    world.join(version=3, group_id="other")
    world.pass_time(3_000)
    assert world.state == "Stable"
    assert world.heartbeat(member_id, 1) == ErrorCode.NONE
    assert world.shard.groups["other"].generation == 1


def test_records_are_written_only_when_something_durable_changes() -> None:
    world = GroupWorld()
    leader, follower = world.stable_group(2)
    records = len(world.log)
    world.heartbeat(leader, 1)
    world.join(follower)
    world.sync(follower, 1)
    world.join(leader, protocols={"range": subscription("u")})
    world.join(follower)
    assert len(world.log) == records
    world.sync(leader, 2, {})
    assert len(world.log) == records + 1
    assert world.group.stored.generation == 2
    assert durable_state(world.reloaded()) == durable_state(world.shard)


def test_there_is_no_deadline_without_members() -> None:
    world = GroupWorld()
    assert world.shard.next_deadline_ms() is None
    (member_id,) = world.stable_group()
    assert world.shard.next_deadline_ms() is not None
    world.leave((member_id, None))
    assert world.shard.next_deadline_ms() is None
    assert GROUP in world.shard.groups
