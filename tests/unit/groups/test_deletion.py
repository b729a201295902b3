from __future__ import annotations

from riacho.base.errors import ErrorCode
from support.group_world import GROUP, GroupWorld, durable_state, subscription


def codes(response: object) -> dict[tuple[str, int], int]:
    return {(t.name, p.partition_index): p.error_code for t in response.topics for p in t.partitions}  # type: ignore[attr-defined]


def test_only_empty_groups_are_deleted() -> None:
    world = GroupWorld()
    (member_id,) = world.stable_group()
    world.commit({("t", 0): 1}, member_id, 1)
    assert world.delete_group() == ErrorCode.NON_EMPTY_GROUP
    world.leave((member_id, None))
    assert world.delete_group() == ErrorCode.NONE
    assert world.delete_group() == ErrorCode.GROUP_ID_NOT_FOUND
    assert world.fetch() == {}
    assert durable_state(world.reloaded()) == durable_state(world.shard) == {}


def test_a_deleted_group_starts_over() -> None:
    world = GroupWorld()
    (member_id,) = world.stable_group()
    world.leave((member_id, None))
    world.delete_group()
    world.stable_group()
    assert world.group.generation == 1


def test_a_pending_member_of_a_deleted_group_is_unknown() -> None:
    world = GroupWorld()
    member_id = world.new_member_id()
    assert world.delete_group() == ErrorCode.NONE
    world.pass_time(60_000)
    assert world.answers[world.join(member_id)].error_code == ErrorCode.UNKNOWN_MEMBER_ID


def test_offsets_of_subscribed_topics_stay() -> None:
    world = GroupWorld()
    (member_id,) = world.stable_group(protocols={"range": subscription("t", version=1)})
    world.commit({("t", 0): 1, ("u", 0): 1}, member_id, 1)
    response = world.delete_offsets({"t": [0], "u": [0, 5]})
    assert response.error_code == ErrorCode.NONE
    assert codes(response) == {("t", 0): ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC, ("u", 0): 0, ("u", 5): 0}
    assert set(world.fetch()) == {("t", 0)}


def test_an_empty_group_loses_what_is_asked() -> None:
    world = GroupWorld()
    world.commit({("t", 0): 1, ("t", 1): 1})
    assert codes(world.delete_offsets({"t": [1]})) == {("t", 1): 0}
    assert set(world.fetch()) == {("t", 0)}
    assert GROUP in world.shard.groups


def test_errors_for_the_whole_request() -> None:
    world = GroupWorld()
    assert world.delete_offsets({"t": [0]}).error_code == ErrorCode.GROUP_ID_NOT_FOUND
    assert world.delete_offsets({"t": [0]}, group_id="").error_code == ErrorCode.INVALID_GROUP_ID
    world.stable_group(protocol_type="connect")
    assert world.delete_offsets({"t": [0]}).error_code == ErrorCode.NON_EMPTY_GROUP
