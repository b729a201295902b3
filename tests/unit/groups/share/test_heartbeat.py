"""ShareGroupHeartbeat: joining, the epochs, what is assigned when, leaving, sessions."""

from __future__ import annotations

import pytest

from riacho.base.coordination import Caller
from riacho.base.errors import ErrorCode
from riacho.groups.classic.group import ClassicGroup
from riacho.groups.config import GroupConfig
from riacho.groups.share_config import ShareGroupConfig
from support.share_group_world import GROUP, ShareGroupWorld

SESSION_MS = 45_000
INTERVAL_MS = 1_000


def settled(*members: str, **topics: int) -> ShareGroupWorld:
    """These members, all told of their partitions."""
    world = ShareGroupWorld(**(topics or {"t": 4}))
    for member in members:
        world.join(member, *(topics or ("t",)))
    world.settle_state()
    for _ in range(2):
        world.pass_time(INTERVAL_MS)
        for member in members:
            world.beat(member)
    return world


def test_the_first_heartbeat_joins_and_assigns_nothing_yet() -> None:
    world = ShareGroupWorld(t=2)
    answer = world.join("m")
    assert (answer.error_code, answer.member_id, answer.member_epoch) == (0, "m", 2)
    assert answer.heartbeat_interval_ms == 5_000
    assert answer.assignment is not None
    assert answer.assignment.topic_partitions == []
    assert world.group().state_name == "Stable"


def test_the_share_coordinator_is_asked_for_state_with_the_epoch_of_the_group() -> None:
    world = ShareGroupWorld(t=2)
    world.join("m")
    (asked,) = world.to_create
    assert asked == (GROUP, 2, {world.topic_id("t"): {0: -1, 1: -1}})
    assert world.initialized("t") == []
    world.settle_state()
    assert world.initialized("t") == [0, 1]


def test_partitions_are_assigned_once_their_state_is_there() -> None:
    world = ShareGroupWorld(t=2)
    world.join("m")
    world.settle_state()
    world.pass_time(INTERVAL_MS)
    answer = world.heartbeat("m", 2)
    assert answer.member_epoch == 3
    assert answer.assignment is not None
    assert [(t.topic_id, t.partitions) for t in answer.assignment.topic_partitions] == [(world.topic_id("t"), [0, 1])]


def test_a_heartbeat_that_changes_nothing_writes_nothing_and_shows_no_assignment() -> None:
    world = settled("m")
    before = len(world.log)
    answer = world.beat("m")
    assert answer.assignment is None
    assert len(world.log) == before


def test_a_full_heartbeat_is_shown_its_assignment() -> None:
    world = settled("m")
    epoch = world.group().members["m"].epoch
    answer = world.heartbeat("m", epoch, ["t"])
    assert answer.assignment is not None
    assert answer.member_epoch == epoch


def test_two_members_share_the_partitions() -> None:
    world = settled("a", "b")
    assert sorted(world.assigned("a")["t"] + world.assigned("b")["t"]) == [0, 1, 2, 3]
    assert len(world.assigned("a")["t"]) == 2


def test_more_members_than_partitions_read_the_same_ones() -> None:
    world = settled("a", "b", "c", t=1)
    assert [world.assigned(member) for member in "abc"] == [{"t": [0]}] * 3


def test_members_of_different_topics_get_only_their_own() -> None:
    world = ShareGroupWorld(t=2, u=2)
    world.join("a", "t")
    world.join("b", "t", "u")
    world.settle_state()
    for _ in range(2):
        world.pass_time(INTERVAL_MS)
        world.beat("a"), world.beat("b")
    assert len(world.assigned("a")["t"]) == 1
    assert world.assigned("b") == {"t": [1 - world.assigned("a")["t"][0]], "u": [0, 1]}


def test_assignments_keep_their_interval() -> None:
    world = settled("a")
    world.join("b")
    epoch = world.group().assignment_epoch
    answer = world.join("c")
    assert world.group().epoch == epoch + 1
    assert (answer.member_epoch, world.group().assignment_epoch) == (epoch, epoch)
    assert world.assigned("c") == {}
    world.pass_time(INTERVAL_MS)
    assert world.beat("c").member_epoch == epoch + 1
    assert world.assigned("c") != {}


def test_a_group_may_set_its_own_interval_and_heartbeat_within_bounds() -> None:
    world = ShareGroupWorld(t=2)
    world.settings[GROUP] = {"share.heartbeat.interval.ms": "9000", "share.session.timeout.ms": "1"}
    assert world.join("m").heartbeat_interval_ms == 9_000
    world.pass_time(SESSION_MS - 1)
    assert world.group().members.keys() == {"m"}
    world.pass_time(1)
    assert world.group().is_empty


@pytest.mark.parametrize(
    ("epoch", "code"), [(3, ErrorCode.NONE), (2, ErrorCode.NONE), (4, ErrorCode.FENCED_MEMBER_EPOCH)]
)
def test_the_epoch_must_be_the_current_one_or_the_one_before(epoch: int, code: ErrorCode) -> None:
    world = ShareGroupWorld(t=2)
    world.join("m")
    world.settle_state()
    world.pass_time(INTERVAL_MS)
    assert world.heartbeat("m", 2).member_epoch == 3
    assert world.heartbeat("m", epoch).error_code == code


def test_an_epoch_before_the_one_before_is_fenced() -> None:
    world = settled("a")
    world.join("b")
    for _ in range(3):
        world.pass_time(INTERVAL_MS)
        world.beat("a")
    assert world.group().members["a"].epoch > 3
    answer = world.heartbeat("a", 2)
    assert answer.error_code == ErrorCode.FENCED_MEMBER_EPOCH
    assert "rejoin" in (answer.error_message or "")


def test_a_member_that_rejoins_with_epoch_zero_keeps_its_place() -> None:
    world = settled("a")
    answer = world.join("a")
    assert answer.member_epoch == world.group().members["a"].epoch
    assert answer.assignment is not None
    assert [t.partitions for t in answer.assignment.topic_partitions] == [[0, 1, 2, 3]]


def test_unknown_members_and_groups() -> None:
    world = ShareGroupWorld(t=2)
    assert world.heartbeat("m", 1).error_code == ErrorCode.GROUP_ID_NOT_FOUND
    assert world.leave("m").error_code == ErrorCode.GROUP_ID_NOT_FOUND
    world.join("m")
    assert world.heartbeat("x", 1).error_code == ErrorCode.UNKNOWN_MEMBER_ID
    assert world.leave("x").error_code == ErrorCode.UNKNOWN_MEMBER_ID


@pytest.mark.parametrize(
    ("member_id", "epoch", "topics", "rack_id"),
    [("", 0, ["t"], None), ("m", 0, None, None), ("m", 0, [], None), ("m", -2, ["t"], None), ("m", 0, ["t"], "")],
)
def test_bad_requests(member_id: str, epoch: int, topics: list[str] | None, rack_id: str | None) -> None:
    world = ShareGroupWorld(t=2)
    answer = world.heartbeat(member_id, epoch, topics, rack_id=rack_id)
    assert answer.error_code == ErrorCode.INVALID_REQUEST
    assert answer.error_message
    assert not world.has_group()
    assert world.log == []


def test_a_full_group_takes_no_more() -> None:
    world = ShareGroupWorld(GroupConfig(share=ShareGroupConfig(group_size_max=2)), t=2)
    world.join("a"), world.join("b")
    assert world.join("c").error_code == ErrorCode.GROUP_MAX_SIZE_REACHED
    assert world.join("a").error_code == 0
    assert world.beat("b").error_code == 0


def test_a_member_that_leaves_is_answered_with_its_epoch_and_its_partitions_go_to_others() -> None:
    world = settled("a", "b")
    answer = world.leave("b")
    assert (answer.error_code, answer.member_id, answer.member_epoch) == (0, "b", -1)
    world.pass_time(INTERVAL_MS)
    world.beat("a")
    assert world.assigned("a") == {"t": [0, 1, 2, 3]}
    assert "b" not in world.group().target


def test_a_silent_member_is_out_after_its_session() -> None:
    world = settled("a", "b")
    world.pass_time(SESSION_MS - 1)
    world.beat("a")
    world.pass_time(1_001)
    assert world.group().members.keys() == {"a"}
    assert world.heartbeat("b", 2).error_code == ErrorCode.UNKNOWN_MEMBER_ID


def test_the_last_member_leaves_an_empty_group() -> None:
    world = settled("a")
    world.leave("a")
    assert world.group().state_name == "Empty"
    assert world.initialized("t") == [0, 1, 2, 3]


def test_a_new_subscription_counts_at_once() -> None:
    world = settled("a", t=2, u=2)
    world.pass_time(INTERVAL_MS)
    answer = world.heartbeat("a", world.group().members["a"].epoch, ["u"])
    assert answer.assignment is not None
    assert [t.topic_id for t in answer.assignment.topic_partitions] == [world.topic_id("u")]


def test_what_is_no_longer_subscribed_to_goes_even_when_no_assignment_is_due() -> None:
    world = settled("a", t=2, u=2)
    world.pass_time(INTERVAL_MS)
    world.join("b", "t", "u")
    world.beat("a")
    before = world.group().assignment_epoch
    (given_up,) = world.assigned("a")
    answer = world.heartbeat("a", before, ["t" if given_up == "u" else "u"])
    assert answer.assignment is not None
    assert (answer.member_epoch, world.group().assignment_epoch) == (before, before)
    assert answer.assignment.topic_partitions == []
    assert world.assigned("a") == {}


def test_a_topic_that_comes_later_is_taken_in() -> None:
    world = ShareGroupWorld()
    world.join("m", "t")
    assert world.to_create == []
    world.create_topic("t", 3)
    world.pass_time(INTERVAL_MS)
    world.beat("m")
    world.settle_state()
    world.pass_time(INTERVAL_MS)
    world.beat("m")
    assert world.assigned("m") == {"t": [0, 1, 2]}


def test_new_partitions_get_their_state_and_a_reader() -> None:
    world = settled("m", t=1)
    world.grow_topic("t", 3)
    world.pass_time(INTERVAL_MS)
    world.beat("m")
    (asked,) = world.to_create
    assert asked.offsets == {world.topic_id("t"): {1: -1, 2: -1}}
    assert world.assigned("m") == {"t": [0]}
    world.settle_state()
    world.pass_time(INTERVAL_MS)
    world.beat("m")
    assert world.assigned("m") == {"t": [0, 1, 2]}


def test_a_deleted_topic_is_crossed_out_and_its_successor_starts_anew() -> None:
    world = settled("m", t=2)
    world.delete_topic("t")
    assert world.group().state.topic_ids == set()
    world.pass_time(INTERVAL_MS)
    world.beat("m")
    assert world.assigned("m") == {}
    world.create_topic("t", 1)
    world.pass_time(INTERVAL_MS)
    world.beat("m")
    (asked,) = world.to_create
    assert asked.offsets == {world.topic_id("t"): {0: -1}}


def test_state_that_could_not_be_created_is_asked_for_again() -> None:
    world = ShareGroupWorld(t=1)
    world.join("m")
    world.beat("m")
    assert len(world.to_create) == 1
    world.settle_state(succeeded=False)
    assert world.group().state.initializing == {}
    world.beat("m")
    assert len(world.to_create) == 1


def test_an_answer_that_does_not_come_is_not_waited_for_longer_than_the_retry_interval() -> None:
    world = ShareGroupWorld(t=1)
    world.join("m")
    world.pass_time(29_999)
    world.beat("m")
    assert len(world.to_create) == 1
    world.pass_time(1)
    world.beat("m")
    assert len(world.to_create) == 2


def test_a_new_coordinator_asks_again_for_what_was_under_way() -> None:
    world = ShareGroupWorld(t=1)
    world.join("m")
    world.restart()
    world.beat("m")
    assert len(world.to_create) == 1


def test_the_member_is_stored_as_it_last_described_itself() -> None:
    world = ShareGroupWorld(t=1)
    world.heartbeat("m", 0, ["t"], rack_id="r1", caller=Caller("one", "/1.1.1.1"))
    world.heartbeat("m", 2, None, caller=Caller("two", "/2.2.2.2"))
    member = world.group().members["m"]
    assert (member.rack_id, member.client_id, member.client_host) == ("r1", "two", "/2.2.2.2")
    assert member.subscribed_topic_names == {"t"}


def test_a_group_of_another_kind_is_no_share_group() -> None:
    world = ShareGroupWorld(t=1)
    world.shard.groups[GROUP] = ClassicGroup(GROUP)
    answer = world.join("m")
    assert (answer.error_code, answer.error_message) == (
        ErrorCode.GROUP_ID_NOT_FOUND,
        "Group s is not a share group.",
    )


def test_describe_shows_members_by_topic_name() -> None:
    world = settled("a", t=2)
    described = world.shard.share.describe(world.shard.new_context(world.now_ms), GROUP)
    assert (described.group_state, described.assignor_name) == ("Stable", "simple")
    assert described.group_epoch == world.group().epoch
    (member,) = described.members
    assert (member.member_id, member.client_id, member.client_host) == ("a", "client", "/127.0.0.1")
    assert [(t.topic_name, t.partitions) for t in member.assignment.topic_partitions] == [("t", [0, 1])]
    missing = world.shard.share.describe(world.shard.new_context(world.now_ms), "none")
    assert (missing.error_code, missing.error_message) == (ErrorCode.GROUP_ID_NOT_FOUND, "Group none not found.")
