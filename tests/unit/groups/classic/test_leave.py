from __future__ import annotations

from riacho.base.errors import ErrorCode
from support.group_world import GroupWorld


def test_the_last_one_out_leaves_an_empty_group() -> None:
    world = GroupWorld()
    (member_id,) = world.stable_group()
    response = world.leave((member_id, None))
    assert (response.error_code, response.members[0].error_code) == (0, 0)
    assert world.state == "Empty"
    assert world.group.stored.generation == 2
    assert world.group.stored.members == []


def test_leaving_rebalances_the_rest() -> None:
    world = GroupWorld()
    leader, follower = world.stable_group(2)
    world.leave((leader, None))
    assert world.state == "PreparingRebalance"
    request_id = world.join(follower)
    assert (world.answers[request_id].leader, world.answers[request_id].generation_id) == (follower, 2)


def test_old_versions_answer_for_the_whole() -> None:
    world = GroupWorld()
    (member_id,) = world.stable_group()
    assert world.leave(("ghost", None), version=2).error_code == ErrorCode.UNKNOWN_MEMBER_ID
    response = world.leave((member_id, None), version=2)
    assert (response.error_code, response.members) == (0, [])


def test_each_member_has_its_own_error() -> None:
    world = GroupWorld()
    leader, follower = world.stable_group(2)
    response = world.leave((leader, None), ("ghost", None), ("", "no-instance"), (follower, "no-instance"))
    codes = [member.error_code for member in response.members]
    assert codes == [0, *[ErrorCode.UNKNOWN_MEMBER_ID] * 3]
    assert list(world.group.members) == [follower]


def test_a_group_that_is_not_there() -> None:
    world = GroupWorld()
    assert world.leave(("m", None), group_id="none").members[0].error_code == ErrorCode.UNKNOWN_MEMBER_ID
    assert world.leave(("m", None), group_id="").error_code == ErrorCode.INVALID_GROUP_ID


def test_an_administrator_removes_by_instance_id() -> None:
    world = GroupWorld()
    request_id = world.join(instance_id="one")
    world.pass_time(3_000)
    member_id = world.answers[request_id].member_id
    assert world.leave(("someone", "one")).members[0].error_code == ErrorCode.FENCED_INSTANCE_ID
    response = world.leave(("", "one"))
    assert (response.members[0].member_id, response.members[0].error_code) == ("", 0)
    assert member_id not in world.group.members
    assert world.state == "Empty"


def test_leaving_lets_a_waiting_rebalance_finish() -> None:
    world = GroupWorld()
    leader, follower = world.stable_group(2)
    request_id = world.join(leader)
    world.leave((follower, None))
    assert world.answers[request_id].generation_id == 2


def test_a_pending_member_may_leave() -> None:
    world = GroupWorld()
    (leader,) = world.stable_group()
    pending = world.new_member_id()
    request_id = world.join(leader)
    assert request_id in world.parked()
    assert world.leave((pending, None)).members[0].error_code == 0
    assert world.answers[request_id].generation_id == 2


def test_a_parked_join_is_answered_when_its_member_leaves() -> None:
    world = GroupWorld()
    request_id = world.join(version=3)
    world.leave((next(iter(world.group.members)), None))
    assert world.answers[request_id].error_code == ErrorCode.UNKNOWN_MEMBER_ID
    world.pass_time(3_000)
    assert world.state == "Empty"
