from __future__ import annotations

from typing import Any

import pytest

from riacho.base.errors import ErrorCode
from support.group_world import GroupWorld, durable_state, subscription


def static_group(world: GroupWorld, *instances: str, **join: Any) -> list[str]:
    """A Stable group of static members; the first one leads."""
    request_ids = [world.join(instance_id=instance, **join) for instance in instances]
    world.pass_time(6_000)
    ids = [world.answers[request_id].member_id for request_id in request_ids]
    for member_id in ids[1:]:
        world.sync(member_id, 1)
    world.sync(ids[0], 1, {member_id: f"a{n}".encode() for n, member_id in enumerate(ids)})
    assert world.state == "Stable"
    return ids


def test_static_members_are_not_asked_to_come_back() -> None:
    world = GroupWorld()
    request_id = world.join(instance_id="one")
    world.pass_time(3_000)
    assert world.answers[request_id].error_code == ErrorCode.NONE
    assert world.answers[request_id].member_id.startswith("one-")


def test_a_returning_follower_takes_its_place_without_a_rebalance() -> None:
    world = GroupWorld()
    _, old = static_group(world, "one", "two")
    records = len(world.log)
    answer = world.answers[world.join(instance_id="two")]
    assert (answer.error_code, answer.generation_id, answer.members) == (0, 1, [])
    assert answer.member_id != old
    assert not answer.skip_assignment
    assert world.state == "Stable"
    assert len(world.log) == records + 1
    assert world.answers[world.sync(answer.member_id, 1, instance_id="two")].assignment == b"a1"


def test_the_replaced_id_is_fenced_everywhere() -> None:
    world = GroupWorld()
    _, old = static_group(world, "one", "two")
    world.join(instance_id="two")
    fenced = ErrorCode.FENCED_INSTANCE_ID
    assert world.heartbeat(old, 1, instance_id="two") == fenced
    assert world.answers[world.sync(old, 1, instance_id="two")].error_code == fenced
    assert world.answers[world.join(old, instance_id="two")].error_code == fenced
    assert world.commit({("t", 0): 1}, old, 1, instance_id="two") == {("t", 0): fenced}
    assert world.leave((old, "two")).members[0].error_code == fenced


def test_an_instance_id_nobody_has_is_an_unknown_member() -> None:
    world = GroupWorld()
    leader, _ = static_group(world, "one", "two")
    assert world.heartbeat(leader, 1, instance_id="three") == ErrorCode.UNKNOWN_MEMBER_ID


def test_a_returning_leader_is_told_to_skip_the_assignment() -> None:
    world = GroupWorld()
    old, follower = static_group(world, "one", "two")
    answer = world.answers[world.join(instance_id="one", version=9)]
    assert answer.leader == answer.member_id != old
    assert answer.skip_assignment
    assert {member.member_id for member in answer.members} == {answer.member_id, follower}
    assert world.group.stored.leader == answer.member_id


@pytest.mark.parametrize("version", [5, 8])
def test_an_older_returning_leader_is_made_to_believe_it_follows(version: int) -> None:
    world = GroupWorld()
    old, _ = static_group(world, "one", "two")
    answer = world.answers[world.join(instance_id="one", version=version)]
    assert (answer.leader, answer.members, answer.skip_assignment) == (old, [], False)
    assert world.group.member_list.leader_id == answer.member_id


def test_the_replacement_survives_a_restart() -> None:
    world = GroupWorld()
    static_group(world, "one", "two")
    new = world.answers[world.join(instance_id="two")].member_id
    world.restart()
    assert world.state == "Stable"
    assert world.heartbeat(new, 1, instance_id="two") == ErrorCode.NONE
    assert world.answers[world.sync(new, 1)].assignment == b"a1"


def test_a_return_that_changes_the_protocol_rebalances() -> None:
    world = GroupWorld()
    both = {"range": subscription("t"), "robin": subscription("t")}
    static_group(world, "one", protocols=both)
    request_id = world.join(instance_id="one", protocols={"robin": subscription("t"), "range": subscription("t")})
    assert world.answers[request_id].generation_id == 2
    assert world.answers[request_id].protocol_name == "robin"


def test_a_return_with_new_topics_but_the_same_protocol_does_not_rebalance() -> None:
    world = GroupWorld()
    static_group(world, "one", "two")
    world.join(instance_id="two", protocols={"range": subscription("u")})
    assert world.state == "Stable"
    assert durable_state(world.reloaded()) == durable_state(world.shard)


def test_a_return_while_syncing_starts_over() -> None:
    world = GroupWorld()
    request_ids = [world.join(instance_id=instance) for instance in ("one", "two")]
    world.pass_time(6_000)
    old = world.answers[request_ids[1]].member_id
    waiting = world.sync(old, 1)
    world.join(instance_id="two")
    assert world.answers[waiting].error_code == ErrorCode.FENCED_INSTANCE_ID
    assert world.state == "PreparingRebalance"


def test_a_return_while_joining_fences_the_parked_one() -> None:
    world = GroupWorld()
    first, second = world.join(instance_id="one"), world.join(instance_id="one")
    assert world.answers[first].error_code == ErrorCode.FENCED_INSTANCE_ID
    world.pass_time(6_000)
    assert world.answers[second].error_code == ErrorCode.NONE
    assert len(world.group.members) == 1


def test_a_static_member_stays_when_it_misses_a_rebalance_until_its_session_ends() -> None:
    world = GroupWorld()
    join = {"session_timeout_ms": 300_000, "rebalance_timeout_ms": 30_000}
    leader, away = static_group(world, "one", "two", **join)
    request_id = world.join(leader, instance_id="one", **join)
    world.pass_time(30_000)
    assert world.answers[request_id].generation_id == 2
    assert away in world.group.members
    world.sync(leader, 2, {})
    world.pass_time(30_000)
    # It never sent SyncGroup for this generation, and that deadline holds for static members too.
    assert away not in world.group.members


def test_a_rebalance_that_no_static_member_joins_waits_for_them() -> None:
    world = GroupWorld()
    join = {"session_timeout_ms": 200_000, "rebalance_timeout_ms": 10_000}
    static_group(world, "one", "two", "three", **join)
    world.leave(("", "three"))
    world.pass_time(50_000)
    assert world.state == "PreparingRebalance"
    assert len(world.group.members) == 2
    world.pass_time(150_000)
    assert world.state == "Empty"
