"""Decisions whose append failed, one of a kind each: what was to come of them comes of the next try."""

from __future__ import annotations

from riacho.base.errors import ErrorCode
from riacho.groups.classic.group import ClassicGroup
from riacho.groups.config import GroupConfig
from riacho.groups.consumer.group import ConsumerGroup
from riacho.groups.consumer_config import Bounded, ConsumerGroupConfig, MigrationPolicy
from riacho.groups.share.group import ShareGroup
from support.abandoning_world import REFUSED, AbandoningWorld
from support.consumer_world import topic_id
from support.group_clients import ClassicClient
from support.group_world import GROUP

SHARE = "share"
# Longer than any session.
LONG_MS = 100_000


def world(**topics: int) -> AbandoningWorld:
    consumer = ConsumerGroupConfig(
        assignment_interval_ms=Bounded(0, 0, 15_000), migration_policy=MigrationPolicy.BIDIRECTIONAL
    )
    return AbandoningWorld(GroupConfig(initial_rebalance_delay_ms=0, consumer=consumer), **(topics or {"t": 4}))


def share_group(made: AbandoningWorld) -> ShareGroup:
    group = made.shard.groups[SHARE]
    assert isinstance(group, ShareGroup)
    return group


def settled(made: AbandoningWorld, *others: ClassicClient) -> ClassicClient:
    """A classic member, after it and the others have got their assignments."""
    client = ClassicClient(made, ["t"])
    for _ in range(10):
        for each in (*others, client):
            each.step()
        made.pass_time(100)
    assert client.owned
    return client


def test_a_first_join_leaves_no_group() -> None:
    made = world()
    with made.failing():
        refused = made.join(version=3)
    assert made.answers[refused].error_code == REFUSED
    assert GROUP not in made.shard.groups
    # Known by its offsets from now on: what had been decided on before must not come back with the next record.
    made.commit({("t", 0): 1})
    assert len(made.group.members) == 0
    members = made.stable_group(2)
    assert list(made.group.members) == members
    assert made.parked() == set()


def test_an_assignment_is_brought_again() -> None:
    made = world()
    leader, follower = made.stable_group(2)
    made.join(leader)
    made.join(follower)
    generation = made.group.generation
    waiting = made.sync(follower, generation)
    with made.failing():
        brought = made.sync(leader, generation, {leader: b"b0", follower: b"b1"})
    assert {made.answers[request_id].error_code for request_id in (waiting, brought)} == {REFUSED}
    assert made.state == "CompletingRebalance"
    waiting = made.sync(follower, generation)
    made.sync(leader, generation, {leader: b"c0", follower: b"c1"})
    assert (made.state, made.answers[waiting].assignment) == ("Stable", b"c1")


def test_a_static_member_comes_back_once_more() -> None:
    made = world()
    request_id = made.join(instance_id="i")
    made.pass_time(1)
    member_id = made.answers[request_id].member_id
    made.sync(member_id, 1, {member_id: b"a"}, instance_id="i")
    with made.failing():
        assert made.answers[made.join(instance_id="i")].error_code == REFUSED
    back = made.answers[made.join(instance_id="i")]
    assert (back.error_code, back.generation_id, back.skip_assignment) == (0, 1, True)
    assert made.answers[made.sync(back.member_id, 1, instance_id="i")].assignment == b"a"


def test_a_session_that_is_over_ends_a_little_later() -> None:
    made = world()
    made.beat("m", topics=["t"])
    with made.failing():
        made.pass_time(made.config.consumer.session_timeout_ms.default)
        assert list(made.consumer_group.members) == ["m"]
    made.pass_time(1_000)
    assert made.consumer_group.is_empty
    assert made.shard.next_deadline_ms() is None


def test_a_departure_leaves_the_member_its_session() -> None:
    made = world()
    made.beat("m", topics=["t"])
    with made.failing():
        assert made.beat("m", -1).error_code == REFUSED
    made.pass_time(LONG_MS)
    assert made.consumer_group.is_empty


def test_patterns_are_asked_for_again() -> None:
    made = world()
    with made.failing():
        made.beat("m", regex="t.*")
    assert made.resolve_regexes() == 0
    made.beat("m", regex="t.*")
    assert made.resolve_regexes() == 1
    assert made.consumer_group.resolved_regexes["t.*"].topics == {"t"}


def test_an_upgrade_leaves_the_classic_rebalance_its_timers() -> None:
    made = world()
    first = settled(made)
    settled(made, first)
    first.subscribe(["t"])
    first.step()
    (waiting,) = made.parked()
    with made.failing():
        assert made.beat("m", topics=["t"]).error_code == REFUSED
    assert isinstance(made.group, ClassicGroup)
    assert made.answers[waiting].error_code == REFUSED
    # Nobody comes back: first the rebalance ends, then whoever is left is not heard of.
    made.pass_time(LONG_MS)
    assert (made.state, made.parked()) == ("Empty", set())


def test_a_downgrade_leaves_the_consumer_group_its_sessions() -> None:
    made = world()
    classic = settled(made)
    made.beat("m", topics=["t"])
    with made.failing():
        assert made.beat("m", -1).error_code == REFUSED
    assert isinstance(made.group, ConsumerGroup)
    for _ in range(60):
        classic.step()
        made.pass_time(1_000)
    assert isinstance(made.group, ClassicGroup)
    assert (made.state, len(classic.owned)) == ("Stable", 4)


def test_a_first_heartbeat_leaves_no_share_group() -> None:
    made = world()
    with made.failing():
        assert made.share_beat(SHARE, "s", 0, ["t"]).error_code == REFUSED
    assert SHARE not in made.shard.groups
    assert not made.effects
    assert made.share_beat(SHARE, "s", 0, ["t"]).error_code == ErrorCode.NONE
    # It is being created: the next heartbeat does not ask for it once more.
    assert len(made.effects) == 1
    made.share_beat(SHARE, "s", 2)
    assert len(made.effects) == 1


def test_a_share_group_looks_at_its_topics_again() -> None:
    made = world(t=2, u=2)
    epoch = made.share_beat(SHARE, "s", 0, ["t", "u"]).member_epoch
    made.create_share_state()
    made.pass_time(1_000)
    epoch = made.share_beat(SHARE, "s", epoch).member_epoch
    made.set_topics(t=2)
    made.pass_time(1_000)
    with made.failing():
        assert made.share_beat(SHARE, "s", epoch).error_code == REFUSED
    assert made.share_beat(SHARE, "s", epoch).member_epoch == epoch + 1


def test_share_state_of_a_deleted_topic_is_crossed_out_with_the_next_change() -> None:
    made = world(t=2, u=2)
    made.share_beat(SHARE, "s", 0, ["t", "u"])
    made.create_share_state()
    with made.failing():
        made.set_topics(t=2)
    assert topic_id("u") in share_group(made).state.topic_ids
    made.set_topics(t=3)
    assert share_group(made).state.topic_ids == {topic_id("t")}


def test_a_share_member_that_leaves_has_its_session_left() -> None:
    made = world()
    made.share_beat(SHARE, "s", 0, ["t"])
    with made.failing():
        assert made.share_beat(SHARE, "s", -1).error_code == REFUSED
    made.pass_time(LONG_MS)
    assert share_group(made).is_empty
