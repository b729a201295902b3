"""Proposals to the controller: in batches, one request at a time, tried again, ended by the answer or by the image."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.partitions.hosted_partition import HostedPartition
from riacho.broker.replication.isr_proposals import RETRY_BACKOFF_MS, IsrProposals
from riacho.metadata.image.brokers import Broker
from riacho.metadata.image.image import MetadataImage
from riacho.partition.validation import TopicRules
from riacho.wire import codec
from riacho.wire.messages.alter_partition_request import AlterPartitionRequest
from riacho.wire.messages.alter_partition_response import AlterPartitionResponse, PartitionData, TopicData
from support.broker_fakes import recorded_logs
from support.led_partition import NODE, state
from support.log_files import TOPIC_ID, append, open_log
from support.registered_brokers import metadata_of, registered
from support.virtual_time import VirtualClock, run_virtual


class World:
    """A controller that takes every ISR, unless told otherwise."""

    def __init__(self, path: Path, partitions: int = 1) -> None:
        self.clock = VirtualClock()
        self.requests: list[AlterPartitionRequest] = []
        # Raised by the next sends, or the codes of the next answers.
        self.failures: list[KafkaError | ErrorCode] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.logs, _, self.lines = recorded_logs()
        self.metadata = metadata_of(*(registered(each, epoch=100 * each) for each in (1, 2, 3)))
        self.proposals = IsrProposals(NODE, self.metadata, self.clock, self.logs, self.send, 30_000)
        self.partitions = [self.host(path, index) for index in range(partitions)]

    def publish(self, broker_id: int, registration: Broker | None) -> None:
        """How the broker is on record from now on."""
        brokers = {id: each for id, each in self.metadata.image.brokers.items() if id != broker_id}
        if registration is not None:
            brokers[broker_id] = registration
        self.metadata.publish(MetadataImage(brokers=brokers))

    def host(self, path: Path, index: int) -> HostedPartition:
        log = open_log(path / f"t-{index}")
        hosted = HostedPartition("t", TOPIC_ID, index, log, TopicRules(), self.proposals)
        hosted.take_role(NODE, state((1,)))
        append(log, b"v", epoch=5)
        hosted.advance()
        return hosted

    def fetch(self, replica_id: int, hosted: HostedPartition | None = None, epoch: int | None = None) -> None:
        hosted = hosted or self.partitions[0]
        known = 100 * replica_id if epoch is None else epoch
        hosted.follower_fetched(replica_id, known, hosted.log.log_end_offset, self.clock.monotonic_ms())

    async def send(self, request: AlterPartitionRequest) -> AlterPartitionResponse:
        # Only what the wire carries counts.
        data = codec.encode(request, 3)
        self.requests.append(codec.decode(AlterPartitionRequest, 3, data, 0))
        await self.gate.wait()
        failure = self.failures.pop(0) if self.failures else ErrorCode.NONE
        if isinstance(failure, KafkaError):
            raise failure
        return AlterPartitionResponse(
            topics=[
                TopicData(
                    topic_id=topic.topic_id,
                    partitions=[
                        PartitionData(
                            partition_index=each.partition_index,
                            error_code=failure,
                            leader_id=request.broker_id,
                            leader_epoch=each.leader_epoch,
                            isr=[broker.broker_id for broker in each.new_isr_with_epochs],
                            partition_epoch=each.partition_epoch + 1,
                        )
                        for each in topic.partitions
                    ],
                )
                for topic in request.topics
            ]
        )

    def isr(self, index: int = 0) -> tuple[int, ...]:
        leadership = self.partitions[index].leadership
        assert leadership is not None
        return leadership.isr


def run(tmp_path: Path, scenario: Callable[[World], Coroutine[Any, Any, None]], partitions: int = 1) -> World:
    world = World(tmp_path, partitions)
    run_virtual(scenario(world), world.clock)
    return world


def test_a_caught_up_follower_is_proposed_with_the_epochs_of_all(tmp_path: Path) -> None:
    async def scenario(world: World) -> None:
        world.fetch(2)
        await asyncio.sleep(0.01)
        assert world.isr() == (1, 2)

    [request] = run(tmp_path, scenario).requests
    assert (request.broker_id, request.broker_epoch) == (1, 100)
    [topic] = request.topics
    [partition] = topic.partitions
    assert (topic.topic_id, partition.leader_epoch, partition.partition_epoch) == (TOPIC_ID, 5, 0)
    proposed = [(each.broker_id, each.broker_epoch) for each in partition.new_isr_with_epochs]
    assert proposed == [(1, 100), (2, 200)]


def test_those_of_one_turn_go_together_and_later_ones_wait_for_the_answer(tmp_path: Path) -> None:
    async def scenario(world: World) -> None:
        world.gate.clear()
        for hosted in world.partitions[:2]:
            world.fetch(2, hosted)
        await asyncio.sleep(0.01)
        world.fetch(2, world.partitions[2])
        await asyncio.sleep(0.01)
        assert len(world.requests) == 1
        world.gate.set()
        await asyncio.sleep(0.01)
        assert [world.isr(index) for index in range(3)] == [(1, 2)] * 3

    world = run(tmp_path, scenario, partitions=3)
    asked = [[each.partition_index for each in request.topics[0].partitions] for request in world.requests]
    # The request that follows carries all that is not answered.
    assert asked[0] == [0, 1]
    assert asked[-1] == [2]
    assert len(asked) == 2


@pytest.mark.parametrize(
    "failure",
    [KafkaError(ErrorCode.NETWORK_EXCEPTION), KafkaError(ErrorCode.NOT_CONTROLLER), ErrorCode.UNKNOWN_SERVER_ERROR],
)
def test_what_failed_is_tried_again(tmp_path: Path, failure: KafkaError | ErrorCode) -> None:
    async def scenario(world: World) -> None:
        world.failures = [failure, failure]
        world.fetch(2)
        await asyncio.sleep(RETRY_BACKOFF_MS * 1.5 / 1000)
        assert len(world.requests) == 2
        assert world.isr() == (1,)
        await asyncio.sleep(RETRY_BACKOFF_MS * 2 / 1000)
        assert world.isr() == (1, 2)

    assert len(run(tmp_path, scenario).requests) == 3


def test_an_ineligible_replica_is_taken_back_and_may_be_proposed_later(tmp_path: Path) -> None:
    async def scenario(world: World) -> None:
        world.failures = [ErrorCode.INELIGIBLE_REPLICA]
        world.fetch(2)
        await asyncio.sleep(0.01)
        for _ in range(5):
            world.fetch(2)
        assert len(world.requests) == 1, "not again at once"
        await asyncio.sleep(RETRY_BACKOFF_MS / 1000)
        leadership = world.partitions[0].leadership
        assert leadership is not None
        assert leadership.proposal is None
        world.fetch(2)
        await asyncio.sleep(0.01)
        assert world.isr() == (1, 2)

    run(tmp_path, scenario)


def test_what_the_controller_knows_better_waits_for_the_image(tmp_path: Path) -> None:
    async def scenario(world: World) -> None:
        world.failures = [ErrorCode.INVALID_UPDATE_VERSION]
        world.fetch(2)
        await asyncio.sleep(1)
        assert len(world.requests) == 1
        assert world.isr() == (1,)
        leadership = world.partitions[0].leadership
        assert leadership is not None
        assert leadership.maximal_isr == {1, 2}, "it may have been taken by an earlier try"
        world.partitions[0].take_role(NODE, state((1, 3), change=4))
        assert (world.isr(), leadership.maximal_isr) == ((1, 3), {1, 3})

    run(tmp_path, scenario)


async def _resigned(world: World, answer: ErrorCode) -> HostedPartition:
    [hosted] = world.partitions
    world.fetch(2)
    await asyncio.sleep(0.01)
    assert world.isr() == (1, 2)
    world.failures = [answer]
    assert hosted.resign()
    await asyncio.sleep(1)
    assert [each.broker_id for each in world.requests[-1].topics[0].partitions[0].new_isr_with_epochs] == [2]
    return hosted


def test_a_controller_that_knows_no_departure_leaves_everything_as_it_was(tmp_path: Path) -> None:
    async def scenario(world: World) -> None:
        hosted = await _resigned(world, ErrorCode.INVALID_REQUEST)
        assert hosted.leadership is not None
        assert (hosted.leadership.proposal, world.isr(), len(world.requests)) == (None, (1, 2), 2)
        world.fetch(3)
        await asyncio.sleep(0.01)
        assert world.isr() == (1, 2, 3)

    run(tmp_path, scenario)


def test_a_departure_is_over_when_another_leads(tmp_path: Path) -> None:
    async def scenario(world: World) -> None:
        hosted = await _resigned(world, ErrorCode.NEW_LEADER_ELECTED)
        assert len(world.requests) == 2
        assert not any("refused" in line for line in world.lines)
        assert not hosted.resign(), "one at a time"

    run(tmp_path, scenario)


def test_an_image_that_overtakes_a_proposal_ends_it(tmp_path: Path) -> None:
    async def scenario(world: World) -> None:
        world.failures = [KafkaError(ErrorCode.NETWORK_EXCEPTION)]
        world.fetch(2)
        await asyncio.sleep(0.01)
        world.partitions[0].take_role(NODE, state((1, 2), change=1))
        await asyncio.sleep(1)
        assert len(world.requests) == 1
        world.fetch(3)
        await asyncio.sleep(0.01)
        assert world.isr() == (1, 2, 3)

    assert len(run(tmp_path, scenario).requests) == 2


@pytest.mark.parametrize("change", ["fenced", "leaving", "registered anew", "unknown"])
def test_who_may_not_join(tmp_path: Path, change: str) -> None:
    async def scenario(world: World) -> None:
        match change:
            case "fenced":
                world.publish(2, registered(2, epoch=200, is_fenced=True))
            case "leaving":
                world.publish(2, replace(registered(2, epoch=200), in_controlled_shutdown=True))
            case "registered anew":
                world.publish(2, registered(2, epoch=201))
            case _:
                world.publish(2, None)
        world.fetch(2)
        await asyncio.sleep(0.01)

    assert run(tmp_path, scenario).requests == []


def test_stopping_ends_the_asking(tmp_path: Path) -> None:
    async def scenario(world: World) -> None:
        world.failures = [KafkaError(ErrorCode.NETWORK_EXCEPTION)] * 100
        world.fetch(2)
        await asyncio.sleep(0.01)
        world.proposals.close()
        await asyncio.sleep(1)

    assert len(run(tmp_path, scenario).requests) == 1
