"""A node as its metrics see it: a real quorum's parts that nobody started, and fixed figures for what it hosts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from riacho.broker.config import BrokerConfig
from riacho.broker.counters.metrics import BrokerMetrics
from riacho.broker.environment import SystemRng
from riacho.broker.fetch.fetch_sessions import FetchSessionCache
from riacho.broker.metrics.exposed_parts import ExposedBroker, ExposedQuorum
from riacho.broker.metrics.exposition import Exposition
from riacho.broker.quorum.controller_driver import ControllerDriver
from riacho.broker.quorum.metadata_cache import MetadataCache
from riacho.broker.quotas.quotas import Quotas
from riacho.broker.replication.isr_proposals import IsrProposals
from riacho.groups.offsets.offsets import Offsets
from riacho.metadata.image.brokers import Broker
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.topics import Partition, Topic
from riacho.raft.voters import Endpoint, Voter, VoterSet
from support.broker_fakes import FakeBroker, SetClock, connect, recorded_logs
from support.idle_raft import idle_raft

VOTERS = {"controller.quorum.voters": "1@127.0.0.1:9093"}
CONTROLLER = {**VOTERS, "process.roles": "controller", "listeners": "CONTROLLER://127.0.0.1:9093"}
BROKER = {**VOTERS, "process.roles": "broker", "node.id": "2", "listeners": "PLAINTEXT://127.0.0.1:9092"}
UPTIME_MS = 2_500


def image() -> MetadataImage:
    """Of three brokers, the last fenced, and a topic whose second and third partition have no leader."""
    partitions = tuple(Partition((1, 2), (1, 2), leader, 0, 0) for leader in (1, -1, -1))
    brokers = {id: Broker(id, id, bytes(16), (), {}, None, id == 3, False, ()) for id in (1, 2, 3)}
    return MetadataImage(end_offset=77, brokers=brokers, topics={"t": Topic("t", b"\1" * 16, partitions)})


def quorum(properties: dict[str, str], *, is_active: bool = False, leader_id: int = 5) -> ExposedQuorum:
    """Of a node that knows the leader of epoch 9; -1 for nobody."""
    config, clock, (logs, _, _) = BrokerConfig(properties), SetClock(), recorded_logs()
    metadata = MetadataCache(config, image())
    voters = VoterSet([Voter(5, endpoints=(Endpoint("CONTROLLER", "h", 9093),))])
    driver = idle_raft(config.node_id, leader_id, voters, clock, logs)
    controller = ControllerDriver(driver, metadata, clock, logs, lambda: bytes(16))
    controller.is_active = is_active
    return ExposedQuorum(metadata, driver.node, controller)


@dataclass
class FixedLog:
    size_bytes: int = 9
    log_start_offset: int = 1
    log_end_offset: int = 3
    high_watermark: int = 2
    segments: tuple[int, ...] = (0,)


@dataclass
class FixedLeadership:
    isr: set[int]
    replicas: tuple[int, ...] = (0, 1, 2)
    min_isr: int = 2


@dataclass
class FixedPartition:
    index: int
    leadership: FixedLeadership | None
    has_enough_replicas: bool = True
    topic: str = "t"
    leader_id: int = 1
    log: FixedLog = field(default_factory=FixedLog)

    @property
    def is_leader(self) -> bool:
        return self.leadership is not None


class FixedReplicas:
    """One partition is whole, one lacks a replica, one lacks too many, and one is followed, unless others are given."""

    by_name = {"t": {}}

    def __init__(self, partitions: Sequence[FixedPartition] = ()) -> None:
        whole, poor, short = (FixedPartition(isr, FixedLeadership(set(range(isr)))) for isr in (3, 2, 1))
        short.has_enough_replicas = False
        self._partitions = partitions or (whole, poor, short, FixedPartition(0, None))

    def all(self) -> Iterator[FixedPartition]:
        return iter(self._partitions)

    def partition_count(self) -> int:
        return len(self._partitions)

    def leader_count(self) -> int:
        return sum(each.is_leader for each in self._partitions)

    def offline_directories(self) -> dict[str, str]:
        return {"/two": "gone"}

    def size_bytes(self) -> int:
        return 1_000


class FixedFetchers:
    fetched_size_bytes = 99

    def followed_count(self) -> int:
        return 1

    def max_lag(self) -> int:
        return 8


@dataclass
class FixedShard:
    groups: dict[str, int]
    offsets: Offsets = field(default_factory=Offsets)


class FixedGroups:
    def loaded_shards(self) -> list[FixedShard]:
        return [FixedShard({"a": 1, "b": 2})]


async def _unsent(*_: Any) -> Any:
    raise AssertionError("nothing is proposed here")


def broker_parts(quorum: ExposedQuorum, partitions: Sequence[FixedPartition] = ()) -> ExposedBroker:
    (logs, _, _), config = recorded_logs(), quorum.metadata.config
    isr_proposals = IsrProposals(config.node_id, quorum.metadata, SetClock(), logs, _unsent, 30_000)
    isr_proposals.shrunk, isr_proposals.expanded = 1, 2
    return ExposedBroker(
        config.node_id,
        FixedReplicas(partitions),  # type: ignore[arg-type]
        FixedFetchers(),  # type: ignore[arg-type]
        isr_proposals,
        FetchSessionCache(10, 120_000, SystemRng()),
        FixedGroups(),  # type: ignore[arg-type]
        config.get("riacho.metrics.entries.max"),
    )


def exposition(quorum: ExposedQuorum, broker: ExposedBroker | None = None) -> Exposition:
    """With four connections, of a node that was started a while ago."""
    clock, around = SetClock(), FakeBroker()
    listener = around.listener()
    for _ in range(4):
        connect(listener)
    quotas = Quotas(quorum.metadata.config, clock)
    started_ms = clock.monotonic_ms() - UPTIME_MS
    return Exposition(BrokerMetrics(), quotas, around.connection_quotas, clock, started_ms, quorum, broker)
