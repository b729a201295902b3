"""A broker tells the controller in which directories its replicas are, and is content when it agrees."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from itertools import chain
from random import Random
from typing import Any

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.config import BrokerConfig
from riacho.broker.counters.metrics import BrokerMetrics
from riacho.broker.partitions import directory_assignments
from riacho.broker.partitions.directory_assignments import DirectoryAssignments
from riacho.broker.partitions.replicas import Replicas
from riacho.broker.quorum.metadata_cache import MetadataCache
from riacho.log.directories import LogDirectories
from riacho.metadata.image.image import MetadataImage
from riacho.wire.messages.assign_replicas_to_dirs_request import AssignReplicasToDirsRequest
from riacho.wire.messages.partition_change_record import PartitionChangeRecord
from riacho.wire.messages.partition_record import PartitionRecord
from riacho.wire.messages.topic_record import TopicRecord
from support.broker_fakes import SetClock, recorded_logs
from support.lifecycle_world import LifecycleWorld
from support.simulated_files import SimulatedFiles

ONE, TWO, UNKNOWN = b"1" * 16, b"2" * 16, bytes(16)
TOPIC_ID = b"t" * 16
PATH_ONE, PATH_TWO = "/node1/one", "/node1/two"


def image_of(*directories: bytes) -> MetadataImage:
    """A topic whose partitions are here, each in that directory as far as the controller knows."""
    records: list[Any] = [TopicRecord(name="t", topic_id=TOPIC_ID)]
    for index, directory in enumerate(directories):
        records.append(
            PartitionRecord(
                partition_id=index,
                topic_id=TOPIC_ID,
                replicas=[2, 1],
                isr=[2, 1],
                leader=2,
                directories=[b"x" * 16, directory],
            )
        )
    return MetadataImage(cluster_id="c").apply(records, 10)


class World:
    """Three partitions: 0 and 2 are in directory one, 1 in two."""

    def __init__(self, *known: bytes) -> None:
        self.asked: list[AssignReplicasToDirsRequest] = []
        self.failures: list[KafkaError] = []
        self.is_obeyed = True
        self.metadata = MetadataCache(BrokerConfig(), image_of(*known))
        self.logs, _, self.lines = recorded_logs()
        ids = chain((ONE, TWO), (bytes([number]) * 16 for number in range(1, 9)))
        self.directories = LogDirectories(
            [PATH_ONE, PATH_TWO],
            node_id=1,
            cluster_id="c",
            new_directory_id=lambda: next(ids),
            files=SimulatedFiles(Random(1), "/node1", lambda: 0),
        )
        self.directories.preferred |= {("t", 0): PATH_ONE, ("t", 1): PATH_TWO, ("t", 2): PATH_ONE}
        self.replicas = Replicas(1, self.directories, self.metadata, SetClock(), self.logs, BrokerMetrics(), 86_400_000)
        self.replicas.load()
        lifecycle = LifecycleWorld(None).lifecycle
        lifecycle.epoch = 42
        channel: Any = self
        self.assignments = DirectoryAssignments(
            1, self.directories, self.replicas, self.metadata, channel, lifecycle, self.logs
        )

    async def send(self, request: AssignReplicasToDirsRequest) -> None:
        self.asked.append(request)
        if self.failures:
            raise self.failures.pop(0)
        if self.is_obeyed:
            known = [state.directories[1] for state in self.metadata.image.topics["t"].partitions]
            for index, directory in told(request).items():
                known[index] = directory
            self.metadata.publish(image_of(*known))

    def tell_all(self) -> None:
        for hosted in self.replicas.all():
            self.assignments.hosted(hosted)

    def move(self, index: int, path: str) -> None:
        self.directories.create_future("t", index, path, 0)
        self.replicas.find("t", index).log = self.directories.replace("t", index, 0)

    async def until_idle(self) -> None:
        while self.assignments._task is not None:
            await asyncio.sleep(0)


def told(request: AssignReplicasToDirsRequest) -> dict[int, bytes]:
    assert (request.broker_id, request.broker_epoch) == (1, 42)
    found = {}
    for directory in request.directories:
        for topic in directory.topics:
            assert topic.topic_id == TOPIC_ID
            found |= {partition.partition_index: directory.id for partition in topic.partitions}
    return found


def run(coroutine: Coroutine[Any, Any, Any]) -> None:
    asyncio.run(asyncio.wait_for(coroutine, 20))


def test_what_differs_is_told_together_and_once() -> None:
    world = World(ONE, UNKNOWN, UNKNOWN)

    async def scenario() -> None:
        world.tell_all()
        await world.until_idle()
        world.tell_all()
        await world.until_idle()

    run(scenario())
    (request,) = world.asked
    assert told(request) == {1: TWO, 2: ONE}
    assert len(request.directories) == 2


def test_it_asks_again_until_the_metadata_agree(monkeypatch: Any) -> None:
    monkeypatch.setattr(directory_assignments, "_RETRY_MS", 5)
    world = World(UNKNOWN, TWO)
    world.failures = [KafkaError(ErrorCode.NOT_CONTROLLER, "nobody leads"), KafkaError(ErrorCode.NETWORK_EXCEPTION)]

    async def scenario() -> None:
        world.tell_all()
        await world.until_idle()

    run(scenario())
    assert [told(request) for request in world.asked] == [{0: ONE}] * 3
    assert sum("directories not told" in line for line in world.lines) == 2


def test_a_replica_that_moved_or_went_meanwhile_is_told_as_it_is(monkeypatch: Any) -> None:
    monkeypatch.setattr(directory_assignments, "_RETRY_MS", 5)
    world = World(UNKNOWN, TWO, UNKNOWN)
    world.is_obeyed = False

    async def scenario() -> None:
        world.tell_all()
        while not world.asked:
            await asyncio.sleep(0)
        world.move(0, PATH_TWO)
        world.directories.delete("t", 2, 0)
        world.is_obeyed = True
        await world.until_idle()

    run(scenario())
    assert told(world.asked[0]) == {0: ONE, 2: ONE}
    assert told(world.asked[-1]) == {0: TWO}


def test_new_partitions_are_looked_at_when_the_image_brings_them() -> None:
    world = World(ONE)
    world.metadata.subscribe(world.replicas.image_changed)
    world.metadata.subscribe(world.assignments.image_changed)

    async def scenario() -> None:
        world.metadata.publish(image_of(ONE, UNKNOWN))
        await world.until_idle()
        before = world.metadata.image
        # A change that is none of topics.
        world.metadata.publish(before.apply([], before.end_offset + 1))
        assert world.assignments._task is None

    run(scenario())
    assert [told(request) for request in world.asked] == [{1: TWO}]


def test_replicas_of_others_are_not_our_business() -> None:
    """A replica that leaves this broker, and one whose topic is gone already."""
    world = World(UNKNOWN)
    moved = PartitionChangeRecord(partition_id=0, topic_id=TOPIC_ID, replicas=[2, 3], directories=[UNKNOWN, UNKNOWN])
    for image in (world.metadata.image.apply([moved], 20), MetadataImage(cluster_id="c")):
        world.metadata.image = image
        world.tell_all()
        assert world.assignments._task is None


def test_many_go_in_several_requests(monkeypatch: Any) -> None:
    monkeypatch.setattr(directory_assignments, "_PARTITIONS_PER_REQUEST", 2)
    monkeypatch.setattr(directory_assignments, "_RETRY_MS", 5)
    world = World(UNKNOWN, UNKNOWN, UNKNOWN)

    async def scenario() -> None:
        world.tell_all()
        await world.until_idle()

    run(scenario())
    assert [sorted(told(request)) for request in world.asked] == [[0, 1], [2]]


def test_closing_ends_it() -> None:
    world = World(UNKNOWN)
    world.is_obeyed = False

    async def scenario() -> None:
        world.tell_all()
        while not world.asked:
            await asyncio.sleep(0)
        world.assignments.close()
        await world.until_idle()

    run(scenario())
