from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.metadata.image.topics import RECOVERING
from riacho.metadata.partitions import leader_election
from riacho.wire.messages.elect_leaders_request import ElectLeadersRequest, TopicPartitions
from support.metadata_world import MetadataWorld, topic

PREFERRED, UNCLEAN = 0, 1


def elect(
    world: MetadataWorld, kind: int, asked: dict[str, list[int]] | None, version: int = 2
) -> dict[tuple[str, int], tuple[int, str | None]]:
    topics = None if asked is None else [TopicPartitions(topic=name, partitions=ids) for name, ids in asked.items()]
    request = ElectLeadersRequest(election_type=kind, topic_partitions=topics)
    reply = world.submit(world.controller.elect_leaders(request, version))
    assert reply.error_code == 0
    return {
        (found.topic, result.partition_id): (result.error_code, result.error_message)
        for found in reply.replica_election_results
        for result in found.partition_result
    }


def moved() -> MetadataWorld:
    """a-0 and a-1 prefer 1, but 2 leads a-0."""
    world = MetadataWorld(3)
    world.create(topic("a", assignments={0: [1, 2, 3], 1: [1, 3, 2]}))
    world.fence(1)
    world.start_broker(1)
    world.alter_isr([1, 2, 3])
    return world


def test_the_preferred_leader_leads_again() -> None:
    world = moved()
    asked = {"a": [0, 1, 7], "b": [0]}
    assert elect(world, PREFERRED, asked) == {
        ("a", 0): (0, None),
        ("a", 1): (ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE, "The preferred leader was not available."),
        ("a", 7): (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "No such partition as a-7"),
        ("b", 0): (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "No such topic as b"),
    }
    assert world.partition().leader == 1
    not_needed = (ErrorCode.ELECTION_NOT_NEEDED, "Leader election not needed for topic partition.")
    assert elect(world, PREFERRED, {"a": [0]}) == {("a", 0): not_needed}


def test_of_all_partitions_those_that_need_none_are_not_told() -> None:
    world = moved()
    elect(world, PREFERRED, {"a": [0]})
    assert list(elect(world, PREFERRED, None)) == [("a", 1)]


def test_a_partition_named_twice_is_decided_once() -> None:
    world = moved()
    assert elect(world, PREFERRED, {"a": [0, 0]})["a", 0][0] == ErrorCode.ELECTION_NOT_NEEDED
    assert world.partition().leader_epoch == 2


def test_v0_knows_the_preferred_election_alone() -> None:
    world = moved()
    assert elect(world, UNCLEAN, {"a": [0]}, version=0) == {("a", 0): (0, None)}


def test_an_unclean_election_takes_any_replica_that_is_up() -> None:
    world = MetadataWorld(2)
    world.create(topic("a", assignments={0: [1, 2]}))
    world.fence(2)
    assert elect(world, UNCLEAN, {"a": [0]})["a", 0][0] == ErrorCode.ELECTION_NOT_NEEDED
    world.fence(1)
    assert elect(world, UNCLEAN, {"a": [0]})["a", 0] == (
        ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE,
        "Eligible topic partition leaders are not available.",
    )
    world.start_broker(2)
    assert world.partition().leader == -1
    assert elect(world, UNCLEAN, None) == {("a", 0): (0, None)}
    assert (world.partition().leader, world.partition().leader_recovery_state) == (2, RECOVERING)


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(KafkaError, match="Unknown election type 5") as raised:
        elect(moved(), 5, None)
    assert raised.value.code is ErrorCode.INVALID_REQUEST


def test_balancing_moves_what_can_be_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    world = moved()
    world.submit(world.controller.balance_leaders())
    assert [partition.leader for partition in world.image.topics["a"].partitions] == [1, 3]
    assert world.controller.balance_leaders().records == []
    world = moved()
    world.alter_isr([1, 2, 3], "a", 1)
    monkeypatch.setattr(leader_election, "ELECTIONS_MAX_PER_ROUND", 1)
    assert len(world.controller.balance_leaders().records) == 1


def test_unclean_elections_are_held_where_they_are_allowed() -> None:
    world = MetadataWorld(2)
    key = "unclean.leader.election.enable"
    world.create(topic("a", assignments={0: [1, 2]}), topic("b", assignments={0: [1, 2]}))
    world.fence(2)
    world.fence(1)
    world.start_broker(2)
    assert world.controller.elect_unclean().records == []
    world.static[key] = "true"
    records = world.controller.elect_unclean().records
    assert len(records) == 2
    world.take(records)
    assert world.partition("b").leader == 2
