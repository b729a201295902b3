"""Members of consumer groups: joining, following, leaving, timeouts (KIP-848)."""

from __future__ import annotations

from typing import Any

import pytest

from riacho.base.errors import ErrorCode
from riacho.groups.config import GroupConfig
from riacho.groups.consumer.member import MemberState
from riacho.groups.consumer_config import Bounded, ConsumerGroupConfig
from support.consumer_world import ConsumerWorld, assigned, held_by
from support.group_world import GROUP, durable_state

ALL = {"t": {0, 1, 2, 3, 4, 5}}
AT_ONCE = Bounded(0, 0, 15_000)


def world(**consumer: Any) -> ConsumerWorld:
    """Without the interval between assignments, which has a test of its own."""
    settings = {"assignment_interval_ms": AT_ONCE, **consumer}
    return ConsumerWorld(GroupConfig(consumer=ConsumerGroupConfig(**settings)), t=6, u=2)


def two_members(**consumer: Any) -> ConsumerWorld:
    made = world(**consumer)
    made.beat("a", topics=["t"])
    made.beat("b", topics=["t"])
    assert assigned(made.beat("a", 2, owned=ALL)) == {"t": {0, 1, 2}}
    made.beat("a", 2, owned={"t": {0, 1, 2}})
    assert assigned(made.beat("b", 3)) == {"t": {3, 4, 5}}
    assert made.consumer_group.state_name == "Stable"
    return made


def test_the_first_member_gets_everything_at_once() -> None:
    made = world()
    response = made.beat("a", topics=["t"])
    assert (response.error_code, response.member_epoch, assigned(response)) == (0, 2, ALL)
    assert made.beat("a", 2).assignment is None


def test_nothing_is_given_before_it_is_given_back() -> None:
    made = world()
    made.beat("a", topics=["t"])
    joined = made.beat("b", topics=["t"])
    assert (joined.member_epoch, assigned(joined)) == (3, {})
    assert made.consumer_group.members["b"].state is MemberState.UNRELEASED_PARTITIONS
    told = made.beat("a", 2)
    assert (told.member_epoch, assigned(told)) == (2, {"t": {0, 1, 2}})
    assert made.consumer_group.members["a"].state is MemberState.UNREVOKED_PARTITIONS
    # It says nothing, or says that it has not let go: all stays as it is.
    assert made.beat("a", 2).member_epoch == 2
    assert made.beat("a", 2, owned=ALL).member_epoch == 2
    assert assigned(made.beat("b", 3)) is None
    assert made.beat("a", 2, owned={"t": {0, 1, 2}}).member_epoch == 3
    assert assigned(made.beat("b", 3)) == {"t": {3, 4, 5}}
    assert set(held_by(made.consumer_group).values()) == {"a", "b"}


def test_an_answer_that_got_lost_may_be_asked_for_again() -> None:
    made = two_members()
    made.beat("c", topics=["t"])
    made.beat("a", 3, owned={"t": {0, 1}})
    assert made.consumer_group.members["a"].member_epoch == 4
    # The member never saw epoch 4; what it owns is a part of what it has.
    again = made.beat("a", 3, owned={"t": {0, 1}})
    assert (again.error_code, again.member_epoch) == (0, 4)
    assert made.beat("a", 3, owned={"t": {0, 1, 5}}).error_code == ErrorCode.FENCED_MEMBER_EPOCH
    assert made.beat("a", 3).error_code == ErrorCode.FENCED_MEMBER_EPOCH
    assert made.beat("a", 9).error_code == ErrorCode.FENCED_MEMBER_EPOCH


def test_a_burst_of_joins_needs_one_assignment() -> None:
    made = world(assignment_interval_ms=Bounded(1_000, 0, 15_000))
    made.beat("a", topics=["t"])
    for name in "bcd":
        assert made.beat(name, topics=["t"]).member_epoch == 2
    assert (made.consumer_group.group_epoch, made.consumer_group.assignment_epoch) == (5, 2)
    assert made.consumer_group.state_name == "Assigning"
    made.pass_time(1_000)
    made.beat("a", 2)
    assert made.consumer_group.assignment_epoch == 5
    assert sorted(sum(map(len, each.values())) for each in made.consumer_group.target.values()) == [1, 1, 2, 2]


def test_a_silent_member_is_put_out() -> None:
    made = two_members()
    made.pass_time(44_000)
    made.beat("b", 3)
    made.pass_time(1_500)
    assert list(made.consumer_group.members) == ["b"]
    assert made.beat("a", 3).error_code == ErrorCode.UNKNOWN_MEMBER_ID
    assert assigned(made.beat("b", 3)) == ALL


def test_all_of_them_may_fall_silent_at_once() -> None:
    made = two_members()
    made.pass_time(60_000)
    assert made.consumer_group.state_name == "Empty"
    assert made.consumer_group.group_epoch == 5
    assert durable_state(made.reloaded()) == durable_state(made.shard)


def test_a_member_that_does_not_let_go_in_time_is_put_out() -> None:
    made = world()
    made.beat("a", topics=["t"], rebalance_timeout_ms=20_000)
    made.beat("b", topics=["t"])
    made.beat("a", 2)
    for _ in range(4):
        made.pass_time(5_000)
        made.beat("b", 3)
        made.beat("a", 2)
    assert list(made.consumer_group.members) == ["b"]


def test_letting_go_in_time_ends_the_waiting() -> None:
    made = world()
    made.beat("a", topics=["t"], rebalance_timeout_ms=20_000)
    made.beat("b", topics=["t"])
    made.beat("a", 2)
    made.beat("a", 2, owned={"t": {0, 1, 2}})
    for _ in range(6):
        made.pass_time(5_000)
        made.beat("a", 3)
        made.beat("b", 3)
    assert set(made.consumer_group.members) == {"a", "b"}


def test_a_restart_gives_everyone_a_new_session_and_goes_on() -> None:
    made = world()
    made.beat("a", topics=["t"], rebalance_timeout_ms=20_000)
    made.beat("b", topics=["t"])
    made.beat("a", 2)
    made.pass_time(15_000)
    made.restart()
    # The time to let go starts anew as well.
    made.pass_time(15_000)
    assert made.beat("a", 2).error_code == 0
    made.pass_time(10_000)
    assert made.beat("a", 2).error_code == ErrorCode.UNKNOWN_MEMBER_ID


def test_there_is_no_room() -> None:
    made = world(group_size_max=1)
    made.beat("a", topics=["t"])
    refused = made.beat("b", topics=["t"])
    assert refused.error_code == ErrorCode.GROUP_MAX_SIZE_REACHED
    assert made.beat("a", 2).error_code == 0


def test_settings_of_one_group() -> None:
    made = world()
    made.settings = {"consumer.session.timeout.ms": "50000", "consumer.heartbeat.interval.ms": "7000"}
    assert made.beat("a", topics=["t"]).heartbeat_interval_ms == 7_000
    made.pass_time(49_000)
    assert made.beat("a", 2).error_code == 0
    # Bounds that the broker sets still rule.
    made.settings = {"consumer.session.timeout.ms": "1", "consumer.heartbeat.interval.ms": "999999"}
    assert made.beat("a", 2).heartbeat_interval_ms == 15_000
    made.pass_time(44_000)
    assert made.beat("a", 2).error_code == 0
    made.pass_time(45_000)
    assert made.beat("a", 2).error_code == ErrorCode.UNKNOWN_MEMBER_ID


def test_the_assignor_that_most_ask_for() -> None:
    made = world()
    made.beat("a", topics=["t", "u"], assignor="range")
    made.beat("b", topics=["t", "u"])
    target = made.consumer_group.target
    assert {frozenset(next(iter(each.values()))) for each in target.values()} == {
        frozenset({0, 1, 2}),
        frozenset({3, 4, 5}),
    }
    assert made.shard.describe_consumer_group(GROUP).assignor_name == "range"


def test_the_coordinator_makes_up_an_id_for_old_clients() -> None:
    made = world()
    response = made.beat("", topics=["t"], version=0)
    assert response.member_id
    assert list(made.consumer_group.members) == [response.member_id]
    assert made.beat("", topics=["t"], version=1).error_code == ErrorCode.INVALID_REQUEST


def test_topics_that_come_grow_and_go() -> None:
    made = world()
    made.beat("a", topics=["t", "later"])
    made.set_topics(t=6, u=2, later=1)
    assert assigned(made.beat("a", 2)) == {**ALL, "later": {0}}
    made.set_topics(t=7, u=2, later=1)
    assert assigned(made.beat("a", 3)) == {"t": {0, 1, 2, 3, 4, 5, 6}, "later": {0}}
    made.set_topics(t=7, u=2)
    told = made.beat("a", 4)
    assert assigned(told) == {"t": {0, 1, 2, 3, 4, 5, 6}}
    made.set_topics(t=7, u=3)
    assert made.beat("a", 4, owned={"t": {0, 1, 2, 3, 4, 5, 6}}).member_epoch == 5
    assert made.consumer_group.group_epoch == 5


def test_a_subscription_that_shrinks_is_given_back_at_once() -> None:
    made = world(assignment_interval_ms=Bounded(10_000, 0, 15_000))
    made.beat("a", topics=["t", "u"])
    told = made.beat("a", 2, topics=["u"])
    assert (told.member_epoch, assigned(told)) == (2, {"u": {0, 1}})
    assert made.consumer_group.members["a"].state is MemberState.UNREVOKED_PARTITIONS


@pytest.mark.parametrize("epoch", [-1, -2])
def test_a_static_member_leaves(epoch: int) -> None:
    made = world()
    made.beat("a", topics=["t"], instance_id="i")
    left = made.beat("a", epoch, instance_id="i")
    assert (left.error_code, left.member_epoch) == (0, epoch)
    if epoch == -1:
        assert made.consumer_group.is_empty
        return
    assert made.consumer_group.members["a"].member_epoch == -2
    assert len(held_by(made.consumer_group)) == 6
    back = made.beat("b", topics=["t"], instance_id="i")
    assert (back.member_epoch, assigned(back)) == (2, ALL)
    assert made.consumer_group.group_epoch == 2
    assert made.beat("a", 2, instance_id="i").error_code == ErrorCode.FENCED_INSTANCE_ID
    assert durable_state(made.reloaded()) == durable_state(made.shard)


def test_a_static_member_that_stays_away_is_put_out() -> None:
    made = world()
    made.beat("a", topics=["t"], instance_id="i")
    made.beat("a", -2, instance_id="i")
    made.pass_time(46_000)
    assert made.consumer_group.is_empty


def test_an_instance_id_in_use_is_not_given_away() -> None:
    made = world()
    made.beat("a", topics=["t"], instance_id="i")
    assert made.beat("b", topics=["t"], instance_id="i").error_code == ErrorCode.UNRELEASED_INSTANCE_ID
    assert made.beat("x", 2, instance_id="j").error_code == ErrorCode.UNKNOWN_MEMBER_ID


def test_a_commit_on_its_way_while_the_member_moved_on() -> None:
    made = two_members()
    made.beat("b", -1)
    made.beat("a", 3, owned={"t": {0, 1, 2}})
    assert made.consumer_group.members["a"].member_epoch == 4
    assert made.commit({("t", 0): 5}, "a", 3) == {("t", 0): 0}
    # What it only has since epoch 4 cannot have been consumed in epoch 3.
    assert made.commit({("t", 4): 5}, "a", 3) == {("t", 4): ErrorCode.STALE_MEMBER_EPOCH}
    assert made.commit({("t", 0): 6, ("t", 4): 6}, "a", 3) == {
        ("t", 0): ErrorCode.STALE_MEMBER_EPOCH,
        ("t", 4): ErrorCode.STALE_MEMBER_EPOCH,
    }
    assert made.commit({("t", 4): 5}, "a", 5) == {("t", 4): ErrorCode.STALE_MEMBER_EPOCH}
    assert made.fetch_as("a", 3, {"t": [0]}).error_code == ErrorCode.STALE_MEMBER_EPOCH
    assert made.fetch_as("a", 4, {"t": [0]}).topics[0].partitions[0].committed_offset == 5


def test_offsets_of_a_group_that_nobody_is_in_expire() -> None:
    made = world()
    made.beat("a", topics=["t"])
    made.commit({("t", 0): 5}, "a", 2)
    made.run(made.shard.expire_offsets(made.now_ms + 8 * 86_400_000))
    assert made.fetch({"t": [0]})["t", 0][0] == 5
    made.beat("a", -1)
    made.run(made.shard.expire_offsets(made.now_ms + 8 * 86_400_000))
    assert GROUP not in made.shard.groups
    assert made.reloaded().groups == {}


def test_an_empty_classic_group_makes_room_and_keeps_its_offsets() -> None:
    made = world()
    made.commit({("t", 0): 5})
    assert made.beat("a", topics=["t"]).error_code == 0
    assert made.fetch({"t": [0]})["t", 0][0] == 5
    assert durable_state(made.reloaded()) == durable_state(made.shard)


def test_the_record_of_old_brokers_is_removed() -> None:
    from riacho.groups.consumer import records as consumer_records

    made = world()
    made.beat("a", topics=["t"])
    made.consumer_group.has_partition_metadata_record = True
    made.set_topics(t=7)
    made.beat("a", 2)
    assert consumer_records.partition_metadata_tombstone(GROUP) in made.log
    assert not made.consumer_group.has_partition_metadata_record
