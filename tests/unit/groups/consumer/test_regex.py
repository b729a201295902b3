"""Subscriptions by pattern: resolved away from the heartbeats, together, and not too often."""

from __future__ import annotations

from riacho.base.errors import ErrorCode
from riacho.groups.config import GroupConfig
from riacho.groups.consumer_config import Bounded, ConsumerGroupConfig
from support.consumer_world import ConsumerWorld, assigned
from support.group_world import durable_state


def world() -> ConsumerWorld:
    consumer = ConsumerGroupConfig(assignment_interval_ms=Bounded(0, 0, 15_000))
    return ConsumerWorld(GroupConfig(consumer=consumer), ta=2, tb=1, u=1)


def test_the_heartbeat_does_not_wait_for_it() -> None:
    made = world()
    joined = made.beat("a", regex="t.*")
    assert (joined.error_code, assigned(joined)) == (0, {})
    assert made.resolve_regexes() == 1
    assert assigned(made.beat("a", joined.member_epoch)) == {"ta": {0, 1}, "tb": {0}}
    assert durable_state(made.reloaded()) == durable_state(made.shard)


def test_names_and_patterns_together() -> None:
    made = world()
    made.beat("a", regex="ta", topics=["u"])
    made.resolve_regexes()
    assert assigned(made.beat("a", 2)) == {"ta": {0, 1}, "u": {0}}


def test_a_pattern_that_is_none_changes_nothing() -> None:
    made = world()
    assert made.beat("a", regex="(").error_code == ErrorCode.INVALID_REGULAR_EXPRESSION
    assert not made.shard.groups
    made.beat("a", topics=["u"])
    before = durable_state(made.shard)
    assert made.beat("a", 2, regex="(").error_code == ErrorCode.INVALID_REGULAR_EXPRESSION
    assert durable_state(made.shard) == before


def test_the_second_member_with_a_pattern_needs_no_resolving() -> None:
    made = world()
    made.beat("a", regex="t.*")
    made.resolve_regexes()
    epoch = made.beat("a", 1).member_epoch
    joined = made.beat("b", regex="t.*")
    assert made.resolve_regexes() == 0
    assert joined.member_epoch == epoch + 1


def test_new_topics_are_found_after_ten_seconds() -> None:
    made = world()
    made.beat("a", regex="t.*")
    made.resolve_regexes()
    epoch = made.beat("a", 1).member_epoch
    made.set_topics(ta=2, tb=1, u=1, tc=1)
    made.beat("a", epoch)
    assert made.resolve_regexes() == 0
    made.pass_time(10_001)
    made.beat("a", epoch)
    assert made.resolve_regexes() == 1
    assert assigned(made.beat("a", epoch)) == {"ta": {0, 1}, "tb": {0}, "tc": {0}}
    # Nothing new: not before the refresh interval is over.
    made.pass_time(20_000)
    made.beat("a", epoch + 1)
    assert made.resolve_regexes() == 0


def test_they_are_resolved_again_now_and_then() -> None:
    made = world()
    made.beat("a", regex="t.*")
    made.resolve_regexes()
    epoch = made.beat("a", 1).member_epoch
    for _ in range(20):
        made.pass_time(31_000)
        made.beat("a", epoch)
    assert made.resolve_regexes() == 1
    assert made.beat("a", epoch).member_epoch == epoch


def test_only_one_resolving_at_a_time() -> None:
    made = world()
    made.beat("a", regex="t.*")
    made.beat("b", regex="u")
    assert made.resolve_regexes() == 1
    made.pass_time(10_001)
    made.beat("b", 1)
    assert made.resolve_regexes() == 1
    assert made.consumer_group.resolved_regexes.keys() == {"t.*", "u"}


def test_a_failed_resolving_may_be_tried_again() -> None:
    made = world()
    made.beat("a", regex="t.*")
    made.effects.clear()
    made.run(made.shard.regexes_resolved("g", None, 1, made.now_ms))
    made.beat("a", 1)
    assert made.resolve_regexes() == 1


def test_a_pattern_nobody_uses_any_more_is_forgotten() -> None:
    made = world()
    made.beat("a", regex="t.*")
    made.resolve_regexes()
    made.beat("a", 1)
    told = made.beat("a", 2, regex="", topics=["u"], owned={"ta": {0, 1}, "tb": {0}})
    assert told.error_code == 0
    assert made.consumer_group.resolved_regexes == {}
    assert not made.consumer_group.is_subscribed_to("ta")
    made.beat("b", regex="u")
    made.resolve_regexes()
    made.beat("b", -1)
    assert made.consumer_group.resolved_regexes == {}
    assert durable_state(made.reloaded()) == durable_state(made.shard)
