"""What administrators do to share groups: their offsets moved or forgotten, the groups deleted."""

from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode
from support.share_group_world import GROUP, ShareGroupWorld


def emptied(**topics: int) -> ShareGroupWorld:
    """A group that has read these topics and has no members now."""
    world = ShareGroupWorld(**topics)
    world.join("m", *topics)
    world.settle_state()
    world.leave("m")
    return world


def test_offsets_of_an_empty_group_are_moved_with_its_epoch() -> None:
    world = emptied(t=2)
    outcome = world.alter("t", {0: 7, 1: 9})
    assert outcome.to_create == (GROUP, world.group().epoch, {world.topic_id("t"): {0: 7, 1: 9}})
    (topic,) = outcome.response.responses
    assert (topic.topic_name, topic.topic_id) == ("t", world.topic_id("t"))
    assert [(p.partition_index, p.error_code) for p in topic.partitions] == [(0, 0), (1, 0)]


def test_the_first_offsets_make_the_group() -> None:
    world = ShareGroupWorld(t=2)
    outcome = world.alter("t", {0: 5})
    assert outcome.to_create is not None
    world.settle(outcome.to_create)
    assert world.group().state_name == "Empty"
    assert world.initialized("t") == [0]
    assert world.durable(world.reloaded()) == world.durable()


def test_the_rest_of_the_topic_is_set_up_when_somebody_joins() -> None:
    world = ShareGroupWorld(t=2)
    outcome = world.alter("t", {0: 5})
    assert outcome.to_create is not None
    world.settle(outcome.to_create)
    world.join("m")
    assert [asked.offsets for asked in world.to_create] == [{world.topic_id("t"): {1: -1}}]


def test_partitions_that_do_not_exist_are_told_apart() -> None:
    world = emptied(t=1)
    outcome = world.alter("t", {0: 1, 1: 1})
    assert [p.error_code for p in outcome.response.responses[0].partitions] == [0, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]
    assert outcome.to_create is not None
    assert outcome.to_create.offsets == {world.topic_id("t"): {0: 1}}


def test_a_topic_that_does_not_exist_makes_no_group() -> None:
    world = ShareGroupWorld()
    outcome = world.alter("t", {0: 1})
    assert outcome.to_create is None
    assert outcome.response.responses[0].partitions[0].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert not world.has_group()


def test_nothing_is_moved_under_members() -> None:
    world = ShareGroupWorld(t=1)
    world.join("m")
    world.settle_state()
    assert world.alter("t", {0: 1}).response.error_code == ErrorCode.NON_EMPTY_GROUP
    assert world.delete_offsets("t").code == ErrorCode.NON_EMPTY_GROUP
    assert world.begin_delete_group().code == ErrorCode.NON_EMPTY_GROUP
    assert world.delete_group() == ErrorCode.NON_EMPTY_GROUP


def test_offsets_are_forgotten_topic_by_topic() -> None:
    world = emptied(t=2, u=1)
    outcome = world.delete_offsets("t")
    assert outcome.partitions == {world.topic_id("t"): [0, 1]}
    assert world.group().state.deleting == {world.topic_id("t"): "t"}
    world.deleted("t")
    assert world.group().state.topic_ids == {world.topic_id("u")}
    (topic,) = outcome.response({}).responses
    assert (topic.topic_name, topic.topic_id, topic.error_code) == ("t", world.topic_id("t"), 0)


def test_a_deletion_that_was_cut_off_is_finished_by_the_next() -> None:
    world = emptied(t=2)
    world.delete_offsets("t")
    world.restart()
    assert [*world.delete_offsets("t").partitions[world.topic_id("t")]] == [0, 1]


def test_a_deletion_that_failed_is_told_so() -> None:
    world = emptied(t=1)
    outcome = world.delete_offsets("t")
    response = outcome.response({world.topic_id("t"): ErrorCode.COORDINATOR_NOT_AVAILABLE})
    assert [topic.error_code for topic in response.responses] == [ErrorCode.COORDINATOR_NOT_AVAILABLE]


def test_there_must_be_something_to_forget() -> None:
    world = emptied(t=1)
    world.create_topic("u", 1)
    outcome = world.delete_offsets("u", "none")
    assert outcome.partitions == {}
    assert [(f.topic_name, f.error_code) for f in outcome.failed] == [
        ("u", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("none", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
    ]


@pytest.mark.parametrize("has_group", [True, False])
def test_a_topic_wanted_again_is_no_longer_on_its_way_out(has_group: bool) -> None:
    world = emptied(t=1)
    world.delete_offsets("t")
    if has_group:
        world.restart()
    world.join("m")
    assert world.group().state.deleting == {}
    assert [asked.offsets for asked in world.to_create] == [{world.topic_id("t"): {0: -1}}]


def test_a_group_is_deleted_after_its_state() -> None:
    world = emptied(t=2, u=1)
    outcome = world.begin_delete_group()
    assert outcome.partitions == {world.topic_id("t"): [0, 1], world.topic_id("u"): [0]}
    world.deleted("t", "u")
    assert world.delete_group() == ErrorCode.NONE
    assert not world.has_group()
    assert world.reloaded().groups == {}


def test_deleting_what_is_no_share_group_is_left_to_others() -> None:
    world = ShareGroupWorld()
    outcome = world.begin_delete_group("none")
    assert (outcome.code, outcome.partitions) == (ErrorCode.NONE, {})
    assert world.delete_group("none") == ErrorCode.GROUP_ID_NOT_FOUND
    assert world.delete_offsets("t", group_id="none").code == ErrorCode.GROUP_ID_NOT_FOUND
