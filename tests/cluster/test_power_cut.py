"""All three brokers go at once, and one loses the end of its logs: nothing is lost that the two others have.

A killed process loses nothing by itself, so the loss is made by hand: bytes are cut off one node's newest segments.
Every other time the nodes are told of another boot as well, as after a power cut; else nothing tells that anything was
lost. They come back in any order, at once or one after the other. `RIACHO_POWER_CUTS` sets how many times,
`RIACHO_POWER_CUT_SEED` what happens.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from support.cluster_topics import create_topic, wait_until_led
from support.cluster_view import settled
from support.riacho_cluster import RiachoCluster

CUTS = int(os.environ.get("RIACHO_POWER_CUTS", "3"))
SEED = int(os.environ.get("RIACHO_POWER_CUT_SEED", "7"))
TOPIC = "acknowledged"
PARTITIONS = 2
RECORDS = 400
CUT_BYTES_MAX = 4_000
pytestmark = pytest.mark.timeout(120 + 60 * CUTS)


class Machines:
    """A cluster whose nodes can lose power."""

    def __init__(self, directory: Path, controllers: int = 0) -> None:
        self._boots = {node_id: directory / f"boot-{node_id}" for node_id in (1, 2, 3)}
        own = {node_id: {"riacho.boot.id.file": str(path)} for node_id, path in self._boots.items()}
        self.boot(0)
        self.cluster = RiachoCluster(directory / "cluster", of_node=own, controllers=controllers)

    def boot(self, number: int) -> None:
        for node_id, path in self._boots.items():
            path.write_text(f"boot {number} of {node_id}\n")

    def kill_all(self, order: list[int]) -> None:
        """Controllers apart from them see them gone together, as when a rack loses power. They are paused meanwhile: on
        a busy machine one would find a broker gone while the next is still there, and rightly leave that one alone in
        sync; then it is its log that counts, and nothing tells that it was cut."""
        apart = [node.node_id for node in self.cluster.nodes.values() if not node.is_broker]
        for node_id in apart:
            self.cluster.pause(node_id)
        for node_id in order:
            self.cluster.kill(node_id)
        for node_id in apart:
            self.cluster.resume(node_id)

    def cut(self, node_id: int, rng: random.Random) -> int:
        """How many bytes are gone from the end of each partition, at most."""
        cut_bytes = rng.randint(1, CUT_BYTES_MAX)
        for partition in range(PARTITIONS):
            directory = self.cluster.nodes[node_id].log_dir / f"{TOPIC}-{partition}"
            newest = max(directory.glob("*.log"))
            os.truncate(newest, max(0, newest.stat().st_size - cut_bytes))
        return cut_bytes

    def start(self, order: list[int], gap_s: float) -> None:
        for node_id in order:
            self.cluster.spawn(node_id)
            time.sleep(gap_s)

    def wait_until_whole(self) -> None:
        self.cluster.wait_for_brokers({1, 2, 3})
        settled(
            lambda: self.cluster.view.partitions(TOPIC),
            lambda found: all(set(state.isr) == {1, 2, 3} and state.leader > 0 for state in found.values()),
            60,
        )


@pytest.fixture
def machines(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Machines]:
    made = Machines(tmp_path, getattr(request, "param", 0))
    with made.cluster:
        try:
            yield made
        finally:
            print(made.cluster.output_tails())


class Ledger:
    """What was acknowledged, and where."""

    def __init__(self, bootstrap: str) -> None:
        self._bootstrap = bootstrap
        self.acked: dict[tuple[int, int], bytes] = {}
        self._sent = 0

    def write(self, count: int) -> None:
        producer = Producer({"bootstrap.servers": self._bootstrap, "acks": "all", "linger.ms": 1})
        before = len(self.acked)
        for _ in range(count):
            self._sent += 1
            place, value = self._sent % PARTITIONS, f"value {self._sent}".encode()
            producer.produce(TOPIC, value, partition=place, on_delivery=self._on)
            producer.poll(0)
        assert producer.flush(60) == 0
        assert len(self.acked) == before + count

    def _on(self, error: object, message: object) -> None:
        assert error is None, error
        self.acked[message.partition(), message.offset()] = message.value()  # type: ignore[attr-defined]

    def lost(self) -> list[bytes]:
        """What cannot be read where it was acknowledged."""
        consumer = Consumer({"bootstrap.servers": self._bootstrap, "group.id": "audit", "enable.auto.commit": False})
        found: dict[tuple[int, int], bytes | None] = {}
        ends = {}
        for partition in range(PARTITIONS):
            _, ends[partition] = consumer.get_watermark_offsets(TopicPartition(TOPIC, partition), timeout=30)
        consumer.assign([TopicPartition(TOPIC, partition, 0) for partition in ends])
        deadline = time.monotonic() + 60
        while len(found) < sum(ends.values()) and time.monotonic() < deadline:
            for message in consumer.consume(1_000, timeout=1):
                assert message.error() is None, message.error()
                found[message.partition() or 0, message.offset() or 0] = message.value()
        consumer.close()
        return [value for place, value in self.acked.items() if found.get(place) != value]


def test_what_two_of_three_have_survives_all_three(machines: Machines) -> None:
    rng, cluster = random.Random(SEED), machines.cluster
    # With the default one replica in sync is enough: whoever is found gone last would be the only one left.
    create_topic(cluster, TOPIC, PARTITIONS, {"min.insync.replicas": str(1 + SEED % 2)})
    ledger = Ledger(cluster.bootstrap)
    for number in range(1, CUTS + 1):
        ledger.write(RECORDS)
        order = rng.sample([1, 2, 3], 3)
        torn = rng.choice(order)
        machines.kill_all(rng.sample([1, 2, 3], 3))
        cut_bytes = machines.cut(torn, rng)
        is_power = number % 2 == 1
        if is_power:
            machines.boot(number)
        gap_s = rng.choice([0, 0, 0.5, 2])
        machines.start(order, gap_s)
        machines.wait_until_whole()
        lost = ledger.lost()
        what = f"cut {number}: {cut_bytes} bytes of {torn}, power {is_power}, started {order} every {gap_s} s"
        assert not lost, f"{what}: {len(lost)} of {len(ledger.acked)} lost, {lost[:3]} ..."
        print(f"{what}: {len(ledger.acked)} acknowledged, none lost")


def test_two_whole_copies_need_not_wait_for_the_third(machines: Machines) -> None:
    cluster = machines.cluster
    create_topic(cluster, TOPIC, PARTITIONS, {"min.insync.replicas": "1"})
    ledger = Ledger(cluster.bootstrap)
    ledger.write(RECORDS)
    machines.kill_all([1, 2, 3])
    machines.start([1, 2], 0)
    cluster.wait_for_brokers({1, 2})
    wait_until_led(cluster, TOPIC, PARTITIONS)
    assert ledger.lost() == []
    ledger.write(RECORDS)
    machines.start([3], 0)
    machines.wait_until_whole()
    assert ledger.lost() == []


def test_after_a_power_cut_nobody_leads_before_all_that_were_in_sync_are_there(machines: Machines) -> None:
    """The two that are there lost something, the third did not: it is waited for."""
    cluster = machines.cluster
    create_topic(cluster, TOPIC, PARTITIONS)
    ledger = Ledger(cluster.bootstrap)
    ledger.write(RECORDS)
    machines.kill_all([1, 2, 3])
    machines.boot(1)
    rng = random.Random(SEED)
    for node_id in (1, 2):
        machines.cut(node_id, rng)
    machines.start([1, 2], 0)
    cluster.wait_for_brokers({1, 2})
    settled(
        lambda: cluster.view.partitions(TOPIC),
        lambda found: all(state.leader == -1 and set(state.isr) == {3} for state in found.values()),
        30,
    )
    machines.start([3], 0)
    machines.wait_until_whole()
    assert ledger.lost() == []


@pytest.mark.parametrize("machines", [1], indirect=True)
@pytest.mark.parametrize("is_power", [True, False])
def test_a_controller_that_sees_all_brokers_go_takes_none_of_them_for_the_last(
    machines: Machines, is_power: bool
) -> None:
    """It finds them gone one after the other; with one replica enough, the last would be the only one in sync."""
    cluster = machines.cluster
    create_topic(cluster, TOPIC, PARTITIONS, {"min.insync.replicas": "1"})
    ledger = Ledger(cluster.bootstrap)
    ledger.write(RECORDS)
    for torn in (1, 2, 3):
        machines.kill_all([1, 2, 3])
        machines.cut(torn, random.Random(torn))
        if is_power:
            machines.boot(torn)
        machines.start([1, 2, 3], 0)
        machines.wait_until_whole()
        assert ledger.lost() == []
