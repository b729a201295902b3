"""Markers on their way: sorted by leader, tried again, given up only when another coordinator is in charge."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from typing import Any

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.config import BrokerConfig
from riacho.broker.coordinators.transaction_markers import TransactionMarkers
from riacho.broker.quorum.metadata_cache import MetadataCache
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.topics import Partition, Topic
from riacho.transactions.markers import MarkersDue
from riacho.wire.messages.write_txn_markers_request import WritableTxnMarker, WriteTxnMarkersRequest
from riacho.wire.messages.write_txn_markers_response import (
    WritableTxnMarkerPartitionResult,
    WritableTxnMarkerResult,
    WritableTxnMarkerTopicResult,
    WriteTxnMarkersResponse,
)
from support.virtual_time import VirtualClock, run_virtual

NODE = 1
A, B = ("t", 0), ("u", 0)


class Here:
    """The partitions that this node leads."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def write(self, markers: list[WritableTxnMarker]) -> list[WritableTxnMarkerResult]:
        return await self._world.written(NODE, markers)


class Other:
    """Another broker."""

    def __init__(self, world: World, node_id: int) -> None:
        self._world = world
        self._node_id = node_id

    async def send(self, request: WriteTxnMarkersRequest, *, timeout_ms: int) -> WriteTxnMarkersResponse:
        return WriteTxnMarkersResponse(markers=await self._world.written(self._node_id, request.markers))


class Others:
    def __init__(self, world: World) -> None:
        self._world = world

    def get(self, node_id: int) -> Other:
        return Other(self._world, node_id)

    def close(self) -> None:
        """Nobody is connected."""


class World:
    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.leaders: dict[tuple[str, int], int | None] = {}
        self.codes: dict[tuple[str, int], list[ErrorCode]] = {}
        self.sent: list[tuple[int, set[tuple[str, int]]]] = []
        self.recorded: list[tuple[str, frozenset[tuple[str, int]]]] = []
        self.unrecordable = False
        self.failures: list[Exception] = []
        # Brokers that take a request and never answer it.
        self.silent: set[int] = set()
        # Raised in place of taking in what was written of this transaction.
        self.unthought_of: str | None = None
        self.metadata = MetadataCache(BrokerConfig({}), MetadataImage())
        self.markers = TransactionMarkers(NODE, self.metadata, self.clock, Here(self), Others(self))
        self.lead(A, 1)
        self.lead(B, 2)

    def lead(self, where: tuple[str, int], leader: int | None) -> None:
        """None: there is no such partition."""
        self.leaders[where] = leader
        topics = {
            topic: Topic(topic, topic.encode() * 16, (Partition((1, 2), (1, 2), leader, 0, 0),))
            for (topic, _), leader in self.leaders.items()
            if leader is not None
        }
        self.metadata.publish(MetadataImage(topics=topics))

    def markers_written(self, due: MarkersDue, partitions: Iterable[tuple[str, int]]) -> None:
        if self.unrecordable:
            raise KafkaError(ErrorCode.NOT_ENOUGH_REPLICAS)
        assert due.transactional_id != self.unthought_of, "surprise"
        self.recorded.append((due.transactional_id, frozenset(partitions)))

    async def written(self, node_id: int, markers: list[WritableTxnMarker]) -> list[WritableTxnMarkerResult]:
        asked = {
            (topic.name, index) for marker in markers for topic in marker.topics for index in topic.partition_indexes
        }
        if self.failures:
            raise self.failures.pop()
        if node_id in self.silent:
            await asyncio.sleep(35)
            raise KafkaError(ErrorCode.REQUEST_TIMED_OUT)
        self.sent.append((node_id, asked))
        return [self._result(marker) for marker in markers]

    def _result(self, marker: WritableTxnMarker) -> WritableTxnMarkerResult:
        topics = [
            WritableTxnMarkerTopicResult(
                name=topic.name,
                partitions=[
                    WritableTxnMarkerPartitionResult(partition_index=index, error_code=self._code((topic.name, index)))
                    for index in topic.partition_indexes
                ],
            )
            for topic in marker.topics
        ]
        return WritableTxnMarkerResult(producer_id=marker.producer_id, topics=topics)

    def _code(self, where: tuple[str, int]) -> ErrorCode:
        codes = self.codes.get(where)
        return codes.pop(0) if codes else ErrorCode.NONE

    def add(self, *partitions: tuple[str, int], transactional_id: str = "x", producer_id: int = 5) -> None:
        due = MarkersDue(transactional_id, producer_id, 3, True, frozenset(partitions), 2)
        self.markers.add(due, 0, 7, self.markers_written)

    def done(self) -> set[tuple[str, int]]:
        return {where for _, partitions in self.recorded for where in partitions}


def virtual(scenario: Callable[[World], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    def test() -> None:
        async def main() -> None:
            await scenario(world)
            world.markers.close()

        world = World()
        run_virtual(main(), world.clock)

    test.__name__ = scenario.__name__
    return test


@virtual
async def test_each_leader_gets_its_own(world: World) -> None:
    world.add(A, B)
    await asyncio.sleep(0.01)
    assert sorted(world.sent) == [(1, {A}), (2, {B})]
    assert world.done() == {A, B}
    assert len(world.markers) == 0


@virtual
async def test_what_is_due_at_once_goes_in_one_request(world: World) -> None:
    world.add(A, transactional_id="x", producer_id=5)
    world.add(A, transactional_id="y", producer_id=6)
    await asyncio.sleep(0.01)
    assert len(world.sent) == 1
    assert [transactional_id for transactional_id, _ in world.recorded] == ["x", "y"]


@virtual
async def test_a_leader_that_moved_is_followed(world: World) -> None:
    world.codes[A] = [ErrorCode.NOT_LEADER_OR_FOLLOWER]
    world.add(A)
    await asyncio.sleep(0.01)
    assert world.done() == set()
    world.lead(A, 2)
    world.markers.image_changed()
    await asyncio.sleep(0.01)
    assert [node_id for node_id, _ in world.sent] == [1, 2]
    assert world.done() == {A}


@virtual
async def test_failures_are_tried_again_for_as_long_as_it_takes(world: World) -> None:
    world.codes[A] = [ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.REQUEST_TIMED_OUT, ErrorCode.UNKNOWN_SERVER_ERROR]
    world.add(A, B)
    await asyncio.sleep(1)
    assert world.done() == {A, B}


@virtual
async def test_a_partition_without_leader_waits_for_one(world: World) -> None:
    world.lead(A, -1)
    world.add(A)
    await asyncio.sleep(10)
    assert world.sent == []
    world.lead(A, 2)
    await asyncio.sleep(0.2)
    assert world.done() == {A}


@virtual
async def test_a_partition_that_stays_missing_counts_as_done(world: World) -> None:
    world.lead(A, None)
    world.add(A, B)
    await asyncio.sleep(0.5)
    assert world.done() == {B}
    await asyncio.sleep(1)
    assert world.done() == {A, B}


@virtual
async def test_a_partition_that_was_only_not_known_yet_gets_its_marker(world: World) -> None:
    world.lead(A, None)
    world.add(A)
    await asyncio.sleep(0.5)
    world.lead(A, 1)
    await asyncio.sleep(1)
    assert world.sent == [(1, {A})]


@virtual
async def test_another_coordinators_transaction_is_given_up(world: World) -> None:
    world.codes[A] = [ErrorCode.TRANSACTION_COORDINATOR_FENCED]
    world.add(A)
    await asyncio.sleep(1)
    assert len(world.sent) == 1
    assert world.recorded == []
    assert len(world.markers) == 0


@virtual
async def test_a_coordinator_that_moves_takes_its_transactions_along(world: World) -> None:
    world.codes[A] = [ErrorCode.NOT_ENOUGH_REPLICAS] * 3
    world.add(A)
    await asyncio.sleep(0.01)
    world.markers.forget([0])
    await asyncio.sleep(1)
    assert len(world.sent) == 1
    assert world.recorded == []


@virtual
async def test_what_cannot_be_recorded_is_kept_in_mind(world: World) -> None:
    world.unrecordable = True
    world.add(A)
    await asyncio.sleep(0.5)
    assert len(world.sent) == 1
    world.unrecordable = False
    await asyncio.sleep(0.2)
    assert world.done() == {A}
    assert len(world.sent) == 1
    assert len(world.markers) == 0


@virtual
async def test_a_failure_that_nobody_thought_of_loses_no_marker(world: World) -> None:
    world.failures = [RuntimeError("surprise")]
    world.add(A)
    await asyncio.sleep(1)
    assert world.done() == {A}
    assert len(world.markers) == 0


@virtual
async def test_one_shard_that_fails_does_not_hold_up_the_others(world: World) -> None:
    world.unthought_of = "x"
    world.add(A, transactional_id="x", producer_id=5)
    world.add(A, transactional_id="y", producer_id=6)
    await asyncio.sleep(1)
    assert [transactional_id for transactional_id, _ in world.recorded] == ["y"]


@virtual
async def test_what_waits_behind_a_silent_leader_goes_to_the_next_one(world: World) -> None:
    world.silent = {2}
    world.add(B, transactional_id="x", producer_id=5)
    await asyncio.sleep(0.01)
    world.add(B, transactional_id="y", producer_id=6)
    world.lead(B, 1)
    world.markers.image_changed()
    await asyncio.sleep(1)
    assert [transactional_id for transactional_id, _ in world.recorded] == ["y"]
    await asyncio.sleep(40)
    assert [transactional_id for transactional_id, _ in world.recorded] == ["y", "x"]
