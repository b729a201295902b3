"""The share coordinator over a partition of its own on disk: what it stores, and how it refuses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.config import BrokerConfig
from riacho.broker.counters.metrics import BrokerMetrics
from riacho.broker.partitions.auto_topics import AutoTopics
from riacho.broker.partitions.replicas import Replicas
from riacho.broker.quorum.metadata_cache import MetadataCache
from riacho.broker.shares.share_coordinator import ShareCoordinator
from riacho.log.directories import LogDirectories
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.topic_names import SHARE_GROUP_STATE
from riacho.metadata.image.topics import Partition, Topic
from riacho.shares.state_batches import StateBatch
from riacho.shares.state_records import ShareKey, StoredState, key_text
from support.broker_fakes import SetClock, recorded_logs

T = Topic("t", b"t" * 16, (Partition((2,), (2,), 2, 0, 0),))
KEY = ShareKey("g", T.id, 0)
CHANGE = StoredState(0, 1, 3, 10, 2, (StateBatch(10, 12, 2, 1),))


def image(leader: int | None) -> MetadataImage:
    """Topic t elsewhere, and the state's topic with this leader; None: it is not there."""
    topics = {T.name: T}
    if leader is not None:
        partition = Partition((leader,), (leader,), leader, 0, 0)
        topics[SHARE_GROUP_STATE] = Topic(SHARE_GROUP_STATE, b"s" * 16, (partition,) * 2)
    return MetadataImage(topics=topics, topics_by_id={topic.id: topic for topic in topics.values()})


class World:
    def __init__(self, path: Path) -> None:
        self.clock = SetClock()
        logs, _, _ = recorded_logs()
        self.metadata = MetadataCache(BrokerConfig({"log.dirs": str(path)}), image(1))
        self.directories = LogDirectories([str(path)], node_id=1, cluster_id="c", new_directory_id=lambda: b"d" * 16)
        self.replicas = Replicas(1, self.directories, self.metadata, self.clock, logs, BrokerMetrics(), 86_400_000)
        self.replicas.load()
        self.coordinator = self.new_coordinator()

    def new_coordinator(self) -> ShareCoordinator:
        # The topic is there: nobody asks the controller for it.
        channel: Any = None
        topics = AutoTopics(self.metadata, channel)
        return ShareCoordinator(self.replicas, self.clock, topics, updates_per_snapshot=500, commit_timeout_ms=5_000)

    async def refusal(self, asked: Coroutine[Any, Any, object]) -> tuple[ErrorCode, str]:
        with pytest.raises(KafkaError) as raised:
            await asked
        return raised.value.code, raised.value.detail


@pytest.fixture
def run(tmp_path: Path) -> Callable[[Callable[[World], Coroutine[Any, Any, None]]], None]:
    def run_in_world(scenario: Callable[[World], Coroutine[Any, Any, None]]) -> None:
        async def main() -> None:
            world = World(tmp_path)
            await scenario(world)
            world.coordinator.close()
            world.directories.close(clean=False)

        asyncio.run(main())

    return run_in_world


Run = Callable[[Callable[[World], Coroutine[Any, Any, None]]], None]


def test_what_is_stored_is_read_again_also_by_the_next_coordinator(run: Run) -> None:
    async def scenario(world: World) -> None:
        await world.coordinator.initialize(KEY, 1, 5)
        await world.coordinator.write(KEY, CHANGE)
        for _ in range(2):
            stored = await world.coordinator.read(KEY, 3)
            assert (stored.start_offset, stored.state_batches) == (10, CHANGE.state_batches)
            summary = await world.coordinator.read_summary(KEY)
            assert (summary.start_offset, summary.delivery_complete_count, summary.state_batches) == (10, 2, ())
            world.coordinator.close()
            world.coordinator = world.new_coordinator()
        await world.coordinator.delete(KEY)
        assert (await world.coordinator.read_summary(KEY)).start_offset == -1

    run(scenario)


def test_a_refusal_says_why(run: Run) -> None:
    async def scenario(world: World) -> None:
        coordinator = world.coordinator
        code, detail = await world.refusal(coordinator.read(KEY, 0))
        assert code is ErrorCode.INVALID_REQUEST
        assert detail == "Read operation on uninitialized share partition not allowed."
        await coordinator.initialize(KEY, 7, 5)
        assert (await world.refusal(coordinator.write(KEY, CHANGE)))[0] is ErrorCode.FENCED_STATE_EPOCH

    run(scenario)


def test_another_broker_s_state_and_state_without_a_topic(run: Run) -> None:
    async def scenario(world: World) -> None:
        coordinator = world.coordinator
        assert await coordinator.coordinator_of(key_text(KEY)) == 1
        world.metadata.publish(image(2))
        world.replicas.image_changed(image(1), image(2))
        assert await coordinator.coordinator_of(key_text(KEY)) == 2
        assert (await world.refusal(coordinator.initialize(KEY, 1, 5)))[0] is ErrorCode.NOT_COORDINATOR
        world.metadata.publish(image(None))
        told = await world.refusal(coordinator.initialize(KEY, 1, 5))
        assert told == (ErrorCode.COORDINATOR_NOT_AVAILABLE, "__share_group_state is not there yet")

    run(scenario)
