from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode
from riacho.wire.messages.create_partitions_request import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from riacho.wire.messages.create_partitions_response import CreatePartitionsTopicResult
from support.metadata_world import MetadataWorld, topic


def asked(name: str, count: int, assignments: list[list[int]] | None = None) -> CreatePartitionsTopic:
    given = None if assignments is None else [CreatePartitionsAssignment(broker_ids=ids) for ids in assignments]
    return CreatePartitionsTopic(name=name, count=count, assignments=given)


def grow(
    world: MetadataWorld, *topics: CreatePartitionsTopic, validate_only: bool = False
) -> list[CreatePartitionsTopicResult]:
    request = CreatePartitionsRequest(topics=list(topics), validate_only=validate_only)
    results: list[CreatePartitionsTopicResult] = world.submit(world.controller.create_partitions(request)).results
    return results


def test_a_topic_grows_and_its_first_partitions_stay() -> None:
    world = MetadataWorld(3)
    world.create(topic("a", 2, 2))
    before = world.image.topics["a"].partitions
    (result,) = grow(world, asked("a", 5))
    assert result.error_code == ErrorCode.NONE
    after = world.image.topics["a"].partitions
    assert after[:2] == before
    assert len(after) == 5
    assert all(len(partition.replicas) == 2 for partition in after)


def test_validate_only_adds_nothing() -> None:
    world = MetadataWorld()
    world.create(topic("a"))
    (result,) = grow(world, asked("a", 5), validate_only=True)
    assert result.error_code == ErrorCode.NONE
    assert len(world.image.topics["a"].partitions) == 1


def test_assignments_are_kept_to() -> None:
    world = MetadataWorld(3)
    world.create(topic("a", 1, 2))
    grow(world, asked("a", 2, [[3, 2]]))
    assert world.image.topics["a"].partitions[1].replicas == (3, 2)


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        (asked("b", 2), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, None),
        (asked("a", 1), ErrorCode.INVALID_PARTITIONS, "Topic already has 1 partition(s)."),
        (
            asked("a", 0),
            ErrorCode.INVALID_PARTITIONS,
            "The topic a currently has 1 partition(s); 0 would not be an increase.",
        ),
        (
            asked("a", 3, [[1]]),
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            "Attempted to add 2 additional partition(s), but only 1 assignment(s) were specified.",
        ),
        (
            asked("a", 2, [[]]),
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            "The manual partition assignment includes an empty replica list.",
        ),
        (
            asked("a", 20_000),
            ErrorCode.POLICY_VIOLATION,
            "Excessively large number of partitions per request.",
        ),
    ],
)
def test_refusals(change: CreatePartitionsTopic, code: ErrorCode, message: str | None) -> None:
    world = MetadataWorld()
    world.create(topic("a"))
    (result,) = grow(world, change)
    assert (result.error_code, result.error_message) == (code, message)
    assert len(world.image.topics["a"].partitions) == 1


def test_a_topic_twice_in_a_request_is_refused() -> None:
    world = MetadataWorld()
    world.create(topic("a"))
    (result,) = grow(world, asked("a", 2), asked("a", 3))
    assert (result.error_code, result.error_message) == (ErrorCode.INVALID_REQUEST, "Duplicate topic name.")


def test_replicas_on_brokers_that_are_down_start_out_of_sync() -> None:
    world = MetadataWorld(2)
    world.fence(2)
    world.create(topic("a", assignments={0: [2, 1]}))
    partition = world.image.topics["a"].partitions[0]
    assert (partition.replicas, partition.isr, partition.leader) == ((2, 1), (1,), 1)


def test_a_partition_needs_one_broker_that_is_up() -> None:
    world = MetadataWorld(2)
    world.fence(2)
    (result,) = world.create(topic("a", assignments={0: [2]}))
    assert result.error_code == ErrorCode.INVALID_REPLICA_ASSIGNMENT
    assert "fenced or in controlled shutdown" in (result.error_message or "")
