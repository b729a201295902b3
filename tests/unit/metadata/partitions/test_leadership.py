from __future__ import annotations

import pytest

from riacho.metadata.image.config_resource import CLUSTER_DEFAULT, ResourceType
from riacho.metadata.partitions.leadership import Candidates, Elected, Election, LogEnd, elect
from support.metadata_world import MetadataWorld, topic

UP = {1, 2, 3}


def elected(election: Election, up: set[int] = UP, **given: object) -> Elected:
    known: dict[str, object] = {
        "leader": -1,
        "replicas": (1, 2, 3),
        "isr": (1, 2, 3),
        "eligible": (),
    }
    return elect(election, Candidates(**{**known, **given}), up.__contains__)  # type: ignore[arg-type]


def test_a_leader_that_may_stay_stays() -> None:
    assert elected(Election.ONLINE, leader=2) == Elected(2)
    assert elected(Election.UNCLEAN, leader=2) == Elected(2)


def test_the_preferred_election_asks_the_first_replica_first() -> None:
    assert elected(Election.PREFERRED, leader=2) == Elected(1)
    assert elected(Election.PREFERRED, leader=3, up={2, 3}) == Elected(3)
    assert elected(Election.PREFERRED, leader=1, up={2, 3}) == Elected(2)
    assert elected(Election.PREFERRED, leader=2, isr=(2, 3)) == Elected(2)


def test_else_the_first_replica_in_sync_that_is_up() -> None:
    assert elected(Election.ONLINE, leader=1, up={2, 3}) == Elected(2)
    assert elected(Election.ONLINE, leader=1, isr=(1, 3), up={2, 3}) == Elected(3)


def test_one_outside_the_isr_leads_only_uncleanly() -> None:
    assert elected(Election.ONLINE, isr=(1,), up={2, 3}) == Elected(-1)
    assert elected(Election.PREFERRED, isr=(1,), up={2, 3}) == Elected(-1)
    assert elected(Election.UNCLEAN, isr=(1,), up={2, 3}) == Elected(2, is_unclean=True)
    assert elected(Election.UNCLEAN, isr=(1,), up=set()) == Elected(-1)


def test_eligible_replicas_count_when_the_isr_is_empty() -> None:
    assert elected(Election.ONLINE, isr=(), eligible=(2, 3)) == Elected(2)
    assert elected(Election.ONLINE, isr=(1,), eligible=(2, 3), up={2, 3}) == Elected(-1)


ENDS = {1: LogEnd(4, 90), 2: LogEnd(5, 80), 3: LogEnd(5, 70)}


def test_of_those_who_crashed_the_one_with_the_most_leads() -> None:
    crashed = (1, 2, 3)
    assert elected(Election.ONLINE, isr=(), last_known=crashed, log_ends=ENDS) == Elected(2, is_unclean=True)
    equal = dict.fromkeys(crashed, LogEnd(5, 80))
    assert elected(Election.ONLINE, isr=(), last_known=crashed, log_ends=equal) == Elected(1, is_unclean=True)
    # Another replica may have more than the one that was in sync last, and lost some of it.
    assert elected(Election.ONLINE, isr=(), last_known=(3,), log_ends=ENDS) == Elected(2, is_unclean=True)


def test_all_who_crashed_are_waited_for() -> None:
    two = {1: ENDS[1], 2: ENDS[2]}
    assert elected(Election.ONLINE, isr=(), last_known=(1, 2, 3), log_ends=two) == Elected(-1)
    assert elected(Election.ONLINE, isr=(), last_known=(1, 2, 3), log_ends=ENDS, up={1, 2}) == Elected(-1)
    assert elected(Election.ONLINE, isr=(), last_known=(3,)) == Elected(-1)
    assert elected(Election.ONLINE, isr=(), eligible=(1,), last_known=(3,), log_ends=ENDS, up={3}) == Elected(-1)
    assert elected(Election.ONLINE, isr=(), log_ends=ENDS) == Elected(-1)


def test_a_replica_without_others_is_not_compared() -> None:
    assert elected(Election.ONLINE, replicas=(3,), isr=(), last_known=(3,)) == Elected(3, is_unclean=True)


def test_log_ends_order_those_in_sync_and_unclean_elections_too() -> None:
    assert elected(Election.ONLINE, log_ends=ENDS) == Elected(2)
    assert elected(Election.ONLINE, isr=(1, 3), log_ends=ENDS) == Elected(3)
    assert elected(Election.UNCLEAN, isr=(1,), log_ends=ENDS, up={2, 3}) == Elected(2, is_unclean=True)


@pytest.mark.parametrize(
    ("static", "cluster", "own", "expected"),
    [
        (None, None, None, Election.ONLINE),
        ("true", None, None, Election.UNCLEAN),
        ("true", "false", None, Election.ONLINE),
        ("false", "true", None, Election.UNCLEAN),
        ("true", "true", "false", Election.ONLINE),
        (None, None, "true", Election.UNCLEAN),
    ],
)
def test_unclean_elections_are_allowed_by_topic_cluster_or_file(
    static: str | None, cluster: str | None, own: str | None, expected: Election
) -> None:
    key = "unclean.leader.election.enable"
    world = MetadataWorld(static={} if static is None else {key: static})
    world.create(topic("a", configs={} if own is None else {key: own}))
    if cluster is not None:
        world.set_configs(ResourceType.BROKER, CLUSTER_DEFAULT, {key: cluster})
    assert world.controller.rules.election(world.image.topics["a"]) is expected


def test_min_isr_is_the_topics_else_the_clusters() -> None:
    world = MetadataWorld(static={"min.insync.replicas": "2"})
    world.create(topic("a"), topic("b", configs={"min.insync.replicas": "3"}))
    rules = world.controller.rules
    assert (rules.min_isr(world.image.topics["a"]), rules.min_isr(world.image.topics["b"])) == (2, 3)
