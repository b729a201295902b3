from __future__ import annotations

from riacho.groups.config import DAY_MS, GroupConfig
from support.group_world import GROUP, GroupWorld, durable_state, subscription

AT = ("t", 0)
WEEK_MS = 7 * DAY_MS


def expire(world: GroupWorld) -> None:
    world.run(world.shard.expire_offsets(world.now_ms))
    assert durable_state(world.reloaded()) == durable_state(world.shard)


def test_a_simple_group_keeps_each_offset_a_week_from_its_commit() -> None:
    world = GroupWorld()
    world.commit({AT: 1})
    world.pass_time(DAY_MS)
    world.commit({("t", 1): 1})
    world.pass_time(6 * DAY_MS - 1)
    expire(world)
    assert len(world.fetch()) == 2
    world.pass_time(1)
    expire(world)
    assert set(world.fetch()) == {("t", 1)}
    world.pass_time(DAY_MS)
    expire(world)
    assert GROUP not in world.shard.groups


def test_an_empty_group_keeps_all_offsets_a_week_from_when_it_became_empty() -> None:
    world = GroupWorld()
    (member_id,) = world.stable_group(session_timeout_ms=1_800_000)
    world.commit({AT: 1}, member_id, 1)
    for _ in range(400):
        world.pass_time(1_700_000)
        world.heartbeat(member_id, 1)
    world.leave((member_id, None))
    world.pass_time(WEEK_MS - 1)
    expire(world)
    assert set(world.fetch()) == {AT}
    world.pass_time(1)
    expire(world)
    assert world.fetch() == {}
    assert GROUP not in world.shard.groups


def test_the_empty_time_counts_across_a_restart() -> None:
    world = GroupWorld()
    (member_id,) = world.stable_group()
    world.commit({AT: 1}, member_id, 1)
    world.leave((member_id, None))
    world.pass_time(WEEK_MS - 1)
    world.restart()
    expire(world)
    assert set(world.fetch()) == {AT}
    world.pass_time(1)
    expire(world)
    assert world.fetch() == {}


def test_a_stable_group_loses_only_topics_it_left() -> None:
    world = GroupWorld(GroupConfig(offsets_retention_ms=60_000))
    (member_id,) = world.stable_group(session_timeout_ms=1_000_000, protocols={"range": subscription("t")})
    world.commit({AT: 1, ("gone", 0): 1}, member_id, 1)
    world.pass_time(59_999)
    expire(world)
    assert len(world.fetch()) == 2
    world.pass_time(1)
    expire(world)
    assert set(world.fetch()) == {AT}


def test_groups_of_other_kinds_keep_everything_while_they_have_members() -> None:
    world = GroupWorld(GroupConfig(offsets_retention_ms=60_000))
    (member_id,) = world.stable_group(session_timeout_ms=1_000_000, protocol_type="connect")
    world.commit({AT: 1}, member_id, 1)
    world.pass_time(500_000)
    expire(world)
    assert set(world.fetch()) == {AT}


def test_nothing_expires_during_a_rebalance() -> None:
    world = GroupWorld(GroupConfig(offsets_retention_ms=1_000))
    (member_id,) = world.stable_group(session_timeout_ms=1_000_000)
    world.commit({("gone", 0): 1}, member_id, 1)
    world.pass_time(2_000)
    world.join(version=3)
    assert world.state == "PreparingRebalance"
    expire(world)
    assert set(world.fetch()) == {("gone", 0)}


def test_a_metadata_that_cannot_be_read_keeps_everything() -> None:
    world = GroupWorld(GroupConfig(offsets_retention_ms=1_000))
    (member_id,) = world.stable_group(session_timeout_ms=1_000_000, protocols={"range": b"\x00\x00\xff"})
    world.commit({("gone", 0): 1}, member_id, 1)
    world.pass_time(2_000)
    expire(world)
    assert set(world.fetch()) == {("gone", 0)}


def test_old_clients_choose_their_own_retention() -> None:
    world = GroupWorld()
    world.commit({AT: 1}, version=4, retention_time_ms=1_000)
    world.commit({("t", 1): 1}, version=4)
    world.pass_time(999)
    expire(world)
    assert len(world.fetch()) == 2
    world.restart()
    world.pass_time(1)
    expire(world)
    assert set(world.fetch()) == {("t", 1)}


def test_a_group_without_offsets_goes_at_the_next_check_unless_someone_is_coming() -> None:
    world = GroupWorld()
    world.new_member_id(session_timeout_ms=10_000)
    expire(world)
    assert GROUP in world.shard.groups
    world.pass_time(10_000)
    expire(world)
    assert world.shard.groups == {}


def test_deleted_topics_take_their_offsets_along() -> None:
    world = GroupWorld()
    world.commit({AT: 1, ("u", 0): 1})
    world.commit({AT: 1}, group_id="other")
    world.run(world.shard.forget_topics(["t"], world.now_ms))
    assert set(world.fetch()) == {("u", 0)}
    assert world.fetch(group_id="other") == {}
