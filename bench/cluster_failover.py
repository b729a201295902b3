"""How long writes stop when a broker is killed: the longest time between two acknowledgements of one partition.

One producer (librdkafka with its own defaults, idempotent, acks=all) writes all the time to a topic with a partition
led by each broker. A broker is killed with -9; the gap is the longest that any partition saw from a moment before the
kill until all of them had gone on for a while. Then the broker comes back and leads its partition again.
"""

from __future__ import annotations

import itertools
import logging
import threading
import time
from collections.abc import Iterator

from confluent_kafka import KafkaError, Message, Producer

from riacho.wire.messages.elect_leaders_request import ElectLeadersRequest, TopicPartitions
from support.cluster_processes import ProcessCluster
from support.cluster_topics import create_topic
from support.cluster_view import settled

TOPIC = "fail-over"
INTERVAL_S = 0.003
PREFERRED = 0
GIVE_UP_S = 90.0
SILENT = logging.Logger("silent", level=logging.CRITICAL)


class Writer:
    """A producer that never stops; `acks[p]` are the moments at which writes to partition p were acknowledged."""

    def __init__(self, bootstrap: str, partitions: int) -> None:
        self.acks: list[list[float]] = [[] for _ in range(partitions)]
        self.errors: list[str] = []
        self._producer = Producer({"bootstrap.servers": bootstrap, "enable.idempotence": True}, logger=SILENT)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        number = 0
        while not self._stop.is_set():
            try:
                partition = number % len(self.acks)
                self._producer.produce(TOPIC, b"x" * 100, partition=partition, on_delivery=self._verdict)
                number += 1
            except BufferError:
                pass
            self._producer.poll(INTERVAL_S)

    def _verdict(self, error: KafkaError | None, message: Message) -> None:
        if error is not None:
            self.errors.append(str(error))
        else:
            self.acks[message.partition() or 0].append(time.monotonic())

    def wait(self, since_s: float, span_s: float) -> None:
        """Until every partition has acknowledgements that are `span_s` later than this moment and each other."""
        deadline = time.monotonic() + GIVE_UP_S
        while not all(_goes_on(list(acks), since_s, span_s) for acks in self.acks):
            if time.monotonic() > deadline:
                raise TimeoutError(f"writes did not go on within {GIVE_UP_S} s")
            time.sleep(0.05)

    def longest_gap_s(self, since_s: float) -> float:
        return max(_longest(list(acks), since_s) for acks in self.acks)

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()
        self._producer.flush(30)
        if self.errors:
            raise RuntimeError(f"{len(self.errors)} writes failed: {self.errors[0]}")


def _goes_on(acks: list[float], since_s: float, span_s: float) -> bool:
    after = [at for at in acks[-2_000:] if at > since_s]
    return bool(after) and after[-1] - since_s > span_s and sum(at > after[-1] - span_s / 2 for at in after) >= 5


def _longest(acks: list[float], since_s: float) -> float:
    before = [at for at in acks if at <= since_s][-1:]
    shown = before + [at for at in acks if at > since_s]
    return max((later - earlier for earlier, later in itertools.pairwise(shown)), default=0.0)


def leader_gaps_s(cluster: ProcessCluster, kills: int) -> Iterator[float]:
    """Of partition leaders that are not the active controller."""

    def victim() -> int:
        controller = cluster.view.controller()
        return next(node_id for node_id in sorted(cluster.nodes) if node_id != controller)

    yield from _gaps_s(cluster, kills, victim)


def controller_gaps_s(cluster: ProcessCluster, kills: int) -> Iterator[float]:
    """Of the active controller, which leads a partition too."""
    yield from _gaps_s(cluster, kills, lambda: cluster.view.controller())


def _gaps_s(cluster: ProcessCluster, kills: int, victim: object) -> Iterator[float]:
    assert callable(victim)
    nodes = sorted(cluster.nodes)
    if not cluster.view.partitions(TOPIC):
        replicas = [[*nodes[at:], *nodes[:at]] for at in range(len(nodes))]
        create_topic(cluster, TOPIC, assignment=replicas, config={"min.insync.replicas": "2"})
    for _ in range(kills):
        _balance(cluster, nodes)
        writer = Writer(cluster.bootstrap, len(nodes))
        writer.wait(time.monotonic(), 2.0)
        chosen = settled(victim, lambda node_id: node_id > 0)
        killed_s = time.monotonic()
        cluster.kill(chosen)
        writer.wait(killed_s, 2.0)
        # Only gaps that began around the kill count: a client that is slow elsewhere is not the cluster's doing.
        gap_s = writer.longest_gap_s(killed_s - 0.1)
        cluster.start(chosen)
        writer.stop()
        yield gap_s


def _balance(cluster: ProcessCluster, nodes: list[int]) -> None:
    """Every broker leads its partition, with all replicas in sync."""
    settled(
        lambda: cluster.view.partitions(TOPIC),
        lambda found: all(len(state.isr) == len(nodes) for state in found.values()),
        GIVE_UP_S,
    )

    def balanced() -> bool:
        request = ElectLeadersRequest(
            election_type=PREFERRED,
            topic_partitions=[TopicPartitions(topic=TOPIC, partitions=list(range(len(nodes))))],
            timeout_ms=10_000,
        )
        cluster.view.ask(request)
        found = cluster.view.partitions(TOPIC)
        return [found[index].leader for index in range(len(nodes))] == nodes

    settled(balanced, timeout_s=GIVE_UP_S)
