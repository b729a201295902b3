"""An invariant that cannot fail proves nothing: each of them is shown a history that breaks it."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

import pytest

from riacho.broker.config import BrokerConfig
from riacho.broker.counters.metrics import BrokerMetrics
from riacho.broker.partitions.replicas import Replicas
from riacho.broker.quorum.metadata_cache import MetadataCache
from riacho.log.directories import LogDirectories
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.topics import NO_LEADER, Partition, Topic
from support.broker_fakes import SetClock, recorded_logs
from support.simulated_files import SimulatedFiles
from support.simulated_history import Acked, History, Read, Value, Watermark
from support.simulated_invariants import (
    AckedIsNeverLost,
    EpochsAreMonotonic,
    GroupsReadEverything,
    Invariant,
    NoDoubleAssignment,
    NoDuplicates,
    NothingIsInvented,
    OffsetsAscend,
    OneLeaderPerEpoch,
    OrderIsKept,
    ReadsAgree,
    WatermarkIsMonotonic,
)

P = ("t", 0)
A0, A1, A2 = (Value("a", number) for number in range(3))


def history(*final: tuple[int, Value]) -> History:
    made = History(idempotent={"a"}, ordered={"a"}, final={P: list(final)})
    made.sent = {(P, value) for value in (A0, A1, A2)}
    return made


@dataclass
class World:
    up: list[Node]


@dataclass
class Core:
    """Of the quorum, where it is another node that leads."""

    is_leader: bool = False
    epoch: int = 0


@dataclass
class Driver:
    node: Core


@dataclass
class Parts:
    """What invariants look at of a node's part in the quorum."""

    metadata: MetadataCache
    raft: Driver


@dataclass
class Node:
    id: int
    host: str
    hosted: Replicas
    quorum: Parts
    start_count: int
    wiped_count: int = 0


def world(*nodes: Node) -> Any:
    return World(list(nodes))


def node(node_id: int, *, leads: int = -1, epoch: int = -1, start_count: int = 1) -> Node:
    """It leads in epoch `leads`, unless that is -1; its metadata are of leader epoch `epoch`."""
    host = f"node{node_id}"
    metadata = MetadataCache(BrokerConfig({"node.id": str(node_id)}), image(node_id, leads))
    directories = LogDirectories(
        [f"/{host}/data"],
        node_id=node_id,
        cluster_id="c",
        new_directory_id=lambda: bytes([node_id]) * 16,
        files=SimulatedFiles(Random(1), f"/{host}", lambda: 0),
    )
    replicas = Replicas(node_id, directories, metadata, SetClock(), recorded_logs()[0], BrokerMetrics(), 86_400_000)
    replicas.load()
    metadata.image = image(node_id, epoch)
    return Node(node_id, host, replicas, Parts(metadata, Driver(Core())), start_count)


def image(node_id: int, leader_epoch: int) -> MetadataImage:
    state = Partition(
        replicas=(node_id,),
        isr=(node_id,),
        leader=node_id if leader_epoch >= 0 else NO_LEADER,
        leader_epoch=leader_epoch,
        partition_epoch=0,
    )
    topic = Topic("t", b"t" * 16, (state,))
    return MetadataImage(topics={"t": topic}, topics_by_id={topic.id: topic})


def fails(invariant: Invariant, seen: History, match: str) -> None:
    with pytest.raises(AssertionError, match=match):
        invariant.check(world(), seen)


def test_a_history_without_fault_passes() -> None:
    seen = history((0, A0), (1, A1))
    seen.acked = [Acked(P, 0, A0, 1), Acked(P, 1, A1, 2)]
    seen.reads = [Read("r", P, 0, A0), Read("r", P, 1, A1)]
    seen.group_reads = [Read("g", P, 0, A0), Read("g", P, 1, A1), Read("g", P, 1, A1)]
    seen.commits = {("g", P): 2}
    for kind in (AckedIsNeverLost, NothingIsInvented, NoDuplicates, OrderIsKept, OffsetsAscend, ReadsAgree):
        kind().check(world(), seen)  # type: ignore[abstract]
    GroupsReadEverything().check(world(), seen)


def test_a_lost_record_is_found() -> None:
    seen = history((0, A0))
    seen.acked = [Acked(P, 1, A1, 1)]
    fails(AckedIsNeverLost(), seen, "there is None")
    seen = history((0, A0), (1, A2))
    seen.acked = [Acked(P, 1, A1, 1)]
    fails(AckedIsNeverLost(), seen, "number=2")


def test_an_invented_record_is_found() -> None:
    fails(NothingIsInvented(), history((0, Value("b", 7))), "never sent")


def test_a_duplicate_is_found() -> None:
    fails(NoDuplicates(), history((0, A0), (1, A1), (2, A0)), "twice, at 0 and 2")


def test_a_wrong_order_is_found() -> None:
    fails(OrderIsKept(), history((0, A1), (1, A0)), "after number 1")
    fails(OffsetsAscend(), history((1, A0), (0, A1)), "offset 0 after 1")


def test_a_reader_that_saw_other_things_is_found() -> None:
    seen = history((0, A0), (1, A1))
    seen.reads = [Read("r", P, 0, A1)]
    fails(ReadsAgree(), seen, "at the end there is")
    seen.reads = [Read("r", P, 1, A1)]
    fails(ReadsAgree(), seen, "skipped or repeated")
    seen.reads = [Read("r", P, 0, A0), Read("r", P, 0, A0)]
    fails(ReadsAgree(), seen, "skipped or repeated")


def test_a_high_watermark_that_goes_back_is_found() -> None:
    invariant, seen = WatermarkIsMonotonic(), History()
    seen.watermarks = [Watermark("r", P, 1, 5), Watermark("r", P, 2, 4)]
    invariant.check(world(), seen)
    seen.watermarks.append(Watermark("r", P, 2, 3))
    fails(invariant, seen, "high watermark 3 after 4")


def test_a_group_that_skips_is_found() -> None:
    seen = history((0, A0), (1, A1))
    seen.group_reads = [Read("g", P, 1, A1)]
    seen.commits = {("g", P): 2}
    fails(GroupsReadEverything(), seen, "without reading")


def test_a_partition_of_two_members_is_found() -> None:
    seen = History(assignments=[("g", "m1", 3, (P,)), ("g", "m2", 4, (P,))])
    NoDoubleAssignment().check(world(), seen)
    seen.assignments.append(("g", "m2", 3, (P,)))
    fails(NoDoubleAssignment(), seen, "for m1 and m2")


def test_two_leaders_of_one_epoch_are_found() -> None:
    invariant = OneLeaderPerEpoch()
    invariant.check(world(node(1, leads=5), node(2, leads=6)), History())
    with pytest.raises(AssertionError, match="leaders 1 and 2"):
        invariant.check(world(node(2, leads=5)), History())


def test_an_epoch_that_goes_back_is_found() -> None:
    invariant = EpochsAreMonotonic()
    invariant.check(world(node(1, epoch=5)), History())
    invariant.check(world(node(1, epoch=3, start_count=2)), History())
    with pytest.raises(AssertionError, match="from epoch 5 to 4"):
        invariant.check(world(node(1, epoch=4)), History())
