from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode
from riacho.wire.messages import list_partition_reassignments_request as listing
from riacho.wire.messages.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from support.metadata_world import MetadataWorld, log_dir, topic


def replicated() -> MetadataWorld:
    world = MetadataWorld(5)
    world.create(topic("a", assignments={0: [1, 2, 3], 1: [2, 3, 1]}))
    return world


def reassign(
    world: MetadataWorld, replicas: list[int] | None, *, name: str = "a", index: int = 0, may_change_factor: bool = True
) -> tuple[int, str | None]:
    partition = ReassignablePartition(partition_index=index, replicas=replicas)
    request = AlterPartitionReassignmentsRequest(
        allow_replication_factor_change=may_change_factor,
        topics=[ReassignableTopic(name=name, partitions=[partition])],
    )
    reply = world.submit(world.controller.alter_partition_reassignments(request, 1))
    result = reply.responses[0].partitions[0]
    return result.error_code, result.error_message


def ongoing(world: MetadataWorld, *names: str) -> list[tuple[str, int, list[int], list[int], list[int]]]:
    topics = [listing.ListPartitionReassignmentsTopics(name=name, partition_indexes=[0, 1, 7]) for name in names]
    request = listing.ListPartitionReassignmentsRequest(topics=topics if names else None)
    reply = world.submit(world.controller.list_partition_reassignments(request))
    return [
        (found.name, p.partition_index, p.replicas, p.adding_replicas, p.removing_replicas)
        for found in reply.topics
        for p in found.partitions
    ]


def test_old_replicas_go_when_the_new_ones_are_in_sync() -> None:
    world = replicated()
    assert reassign(world, [4, 5, 3]) == (0, None)
    assert ongoing(world) == [("a", 0, [4, 5, 3, 1, 2], [4, 5], [1, 2])]
    assert ongoing(world, "a", "nope") == ongoing(world)
    assert ongoing(world, "nope") == []
    partition = world.partition()
    assert (partition.leader, partition.isr, partition.leader_epoch) == (1, (1, 2, 3), 0)
    assert partition.directories == tuple(log_dir(id) for id in (4, 5, 3, 1, 2))
    world.alter_isr([1, 2, 3, 4])
    assert world.partition().is_reassigning
    # The one that completes it has to go itself.
    assert world.alter_isr([1, 2, 3, 4, 5]).error_code == ErrorCode.NEW_LEADER_ELECTED
    partition = world.partition()
    assert (partition.replicas, partition.isr, partition.leader) == ((4, 5, 3), (3, 4, 5), 4)
    assert not partition.is_reassigning
    assert partition.directories == tuple(log_dir(id) for id in (4, 5, 3))
    assert ongoing(world) == []
    assert [p for p, _, found in world.image.partitions_on(1) if found is partition] == []
    assert next(world.image.partitions_on(4))[2] is partition


def test_a_completion_that_keeps_the_leader_gives_it_a_new_epoch() -> None:
    world = replicated()
    reassign(world, [1, 2, 4])
    answer = world.alter_isr([1, 2, 3, 4])
    assert (answer.error_code, answer.leader_id, answer.leader_epoch) == (0, 1, 1)
    assert answer.isr == [1, 2, 4]


def test_another_order_needs_nobody_to_catch_up() -> None:
    world = replicated()
    reassign(world, [3, 1, 2])
    assert world.partition().replicas == (3, 1, 2)
    assert not world.partition().is_reassigning
    assert world.partition().leader == 1


def test_fewer_replicas_go_at_once_when_the_rest_is_in_sync() -> None:
    world = replicated()
    reassign(world, [2])
    assert (world.partition().replicas, world.partition().isr, world.partition().leader) == ((2,), (2,), 2)


def test_fewer_replicas_wait_for_the_rest_to_be_in_sync() -> None:
    world = replicated()
    world.alter_isr([1, 3])
    reassign(world, [2, 3])
    assert world.partition().is_reassigning
    world.alter_isr([1, 2, 3])
    assert not world.partition().is_reassigning


def test_one_reassignment_takes_the_place_of_another() -> None:
    world = replicated()
    reassign(world, [4, 2, 3])
    reassign(world, [5, 2, 3])
    assert ongoing(world) == [("a", 0, [5, 2, 3, 1, 4], [5], [1, 4])]
    reassign(world, [5, 2, 3, 1, 4])
    assert ongoing(world) == []


def test_cancelling_drops_what_was_being_added() -> None:
    world = replicated()
    reassign(world, [4, 2, 3])
    assert reassign(world, None) == (0, None)
    partition = world.partition()
    assert (sorted(partition.replicas), partition.is_reassigning, partition.leader) == ([1, 2, 3], False, 1)
    assert reassign(world, None) == (
        ErrorCode.NO_REASSIGNMENT_IN_PROGRESS,
        "No partition reassignment is in progress.",
    )


def test_cancelling_does_not_drop_the_last_in_sync() -> None:
    world = replicated()
    reassign(world, [4, 5, 1])
    world.alter_isr([1, 4])
    world.fence(1)
    assert world.partition().isr == (4,)
    code, message = reassign(world, None)
    assert code == ErrorCode.INVALID_REPLICA_ASSIGNMENT
    assert message == (
        "Unable to revert partition assignment for a:0 because it would require an unclean leader election."
    )


@pytest.mark.parametrize(
    ("asked", "code", "message"),
    [
        ({"name": "b"}, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "Unable to find a topic named b."),
        ({"index": 7}, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "Unable to find partition a:7."),
        (
            {"replicas": []},
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            "The manual partition assignment includes an empty replica list.",
        ),
        (
            {"replicas": [1, 9]},
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            "The manual partition assignment includes broker 9, but no such broker is registered.",
        ),
        (
            {"replicas": [1, 1]},
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            "The manual partition assignment includes the broker 1 more than once.",
        ),
        (
            {"replicas": [1, 2], "may_change_factor": False},
            ErrorCode.INVALID_REPLICATION_FACTOR,
            "The replication factor is changed from 3 to 2",
        ),
    ],
)
def test_what_is_refused(asked: dict[str, object], code: ErrorCode, message: str) -> None:
    world = replicated()
    assert reassign(world, **{"replicas": [1, 2, 4], **asked}) == (code, message)  # type: ignore[arg-type]


def test_the_factor_is_that_of_the_reassignment_under_way() -> None:
    world = replicated()
    reassign(world, [4, 5])
    assert reassign(world, [4, 1], may_change_factor=False) == (0, None)
    assert reassign(world, [4, 1, 2], may_change_factor=False)[0] == ErrorCode.INVALID_REPLICATION_FACTOR


def test_a_partition_named_twice_is_refused() -> None:
    world = replicated()
    twice = [ReassignablePartition(partition_index=0, replicas=[1]) for _ in range(2)]
    request = AlterPartitionReassignmentsRequest(topics=[ReassignableTopic(name="a", partitions=twice)])
    reply = world.submit(world.controller.alter_partition_reassignments(request, 1))
    assert {result.error_code for result in reply.responses[0].partitions} == {ErrorCode.INVALID_REQUEST}
    assert world.partition().replicas == (1, 2, 3)
