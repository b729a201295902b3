"""A broker's replicas over real directories, with an image that the test publishes."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.config import BrokerConfig
from riacho.broker.counters.metrics import BrokerMetrics
from riacho.broker.partitions.hosted_partition import HostedPartition
from riacho.broker.partitions.replicas import Replicas
from riacho.broker.quorum.metadata_cache import MetadataCache
from riacho.log.directories import LogDirectories
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.topics import Partition, Topic
from support.broker_fakes import SetClock, recorded_logs
from support.led_partition import SetPeers

NODE = 1
TOPIC_RESOURCE = 2
TOPIC_ID, OTHER_ID = b"A" * 16, b"B" * 16


def topic(name: str, partitions: int = 1, topic_id: bytes = TOPIC_ID, leader: int = NODE, epoch: int = 0) -> Topic:
    state = Partition(replicas=(leader,), isr=(leader,), leader=leader, leader_epoch=epoch, partition_epoch=0)
    return Topic(name, topic_id, (state,) * partitions)


def image(*topics: Topic, configs: dict[tuple[int, str], dict[str, str]] | None = None) -> MetadataImage:
    return MetadataImage(
        topics={each.name: each for each in topics},
        topics_by_id={each.id: each for each in topics},
        configs=configs or {},
    )


class World:
    """Replicas over real directories; `change` publishes a new image, `restart` closes and opens everything."""

    def __init__(self, path: Path, names: tuple[str, ...] = ("one",), peers: SetPeers | None = None) -> None:
        self.peers = peers
        self.paths = [path / name for name in names]
        self.clock = SetClock()
        self.metadata = MetadataCache(BrokerConfig(), image())
        self.logs, _, self.error_lines = recorded_logs()
        self.metrics = BrokerMetrics()
        self._ids = itertools.count(1)
        self.open()

    def open(self) -> None:
        self.directories = LogDirectories(
            [str(path) for path in self.paths],
            node_id=NODE,
            cluster_id="cluster",
            new_directory_id=lambda: next(self._ids).to_bytes(16, "big"),
        )
        self.replicas = Replicas(
            NODE,
            self.directories,
            self.metadata,
            self.clock,
            self.logs,
            self.metrics,
            86_400_000,
            self.peers,
        )
        self.replicas.load()

    def change(self, *topics: Topic, configs: dict[tuple[int, str], dict[str, str]] | None = None) -> None:
        old, new = self.metadata.image, image(*topics, configs=configs)
        self.metadata.publish(new)
        self.replicas.image_changed(old, new)

    def restart(self) -> None:
        self.replicas.close()
        self.open()

    def append(self, name: str, *values: bytes) -> int:
        return self.replicas.append_internal(name, 0, [(b"k", value) for value in values], self.clock.now_ms())

    def partition(self, name: str, index: int = 0) -> HostedPartition:
        return self.replicas.find(name, index)


class Waiter:
    """Parked at a partition: notes what it saw when it was made to answer."""

    def __init__(self, hosted: HostedPartition) -> None:
        self.woken: list[tuple[bool, int]] = []
        self._hosted = hosted
        hosted.waiting.add(self)  # type: ignore[arg-type]

    def notice(self) -> None:
        """An append is no reason to answer here."""

    def complete(self) -> None:
        self.woken.append((self._hosted.is_leader, self._hosted.leader_epoch))


def code_of(world: World, name: str | bytes, index: int = 0) -> ErrorCode:
    with pytest.raises(KafkaError) as refused:
        world.replicas.find(name, index)
    return refused.value.code
