"""Consumers in four groups keep going while every broker is restarted once, and nobody is asked to rebalance.

Groups of two each: plain members, cooperative ones, static ones (KIP-345), ones of the consumer protocol (KIP-848). A
coordinator that stops hands its groups to the next leader of its offsets partition, which loads members, generation and
offsets from the log.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaException, Message, Producer, TopicPartition

from cluster.conftest import ClusterMaker
from support.cluster_faults_writers import SILENT
from support.cluster_processes import ProcessCluster
from support.cluster_topics import create_topic
from support.cluster_view import settled

TOPIC = "groups"
PARTITIONS = 6
GROUPS: dict[str, dict[str, Any]] = {
    "plain": {"partition.assignment.strategy": "range"},
    "cooperative": {"partition.assignment.strategy": "cooperative-sticky"},
    "static": {"partition.assignment.strategy": "range", "group.instance.id": "instance"},
    "modern": {"group.protocol": "consumer"},
}
MEMBERS = 2
LOST_MEMBERSHIP = {"ILLEGAL_GENERATION", "UNKNOWN_MEMBER_ID", "FENCED_INSTANCE_ID", "REBALANCE_IN_PROGRESS"}
pytestmark = pytest.mark.timeout(300)


class Member:
    """A consumer in a thread that commits what it has read twice a second and remembers what it was told."""

    def __init__(self, cluster: ProcessCluster, group: str, number: int) -> None:
        config: dict[str, Any] = {
            "bootstrap.servers": cluster.bootstrap,
            "group.id": group,
            "client.id": f"{group}-{number}",
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            "session.timeout.ms": 30_000,
            "heartbeat.interval.ms": 500,
            "reconnect.backoff.max.ms": 300,
            "topic.metadata.refresh.interval.ms": 2_000,
        } | GROUPS[group]
        if "group.protocol" in config:
            # They are the broker's to say.
            del config["session.timeout.ms"], config["heartbeat.interval.ms"]
        if "group.instance.id" in config:
            config["group.instance.id"] += f"-{number}"
        self.values: list[int] = []
        self.rebalances = 0
        self.assigned: set[int] = set()
        self.committed: dict[int, int] = {}
        self.commit_errors: list[str] = []
        self._consumer = Consumer(config, logger=SILENT)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=config["client.id"], daemon=True)

    def start(self) -> None:
        self._consumer.subscribe([TOPIC], on_assign=self._on_assign, on_revoke=self._on_revoke)
        self._thread.start()

    def _on_assign(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        self.rebalances += 1
        self.assigned |= {partition.partition for partition in partitions}

    def _on_revoke(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        self.rebalances += 1
        self.assigned -= {partition.partition for partition in partitions}

    def _run(self) -> None:
        next_commit_s = time.monotonic() + 0.5
        while not self._stop.is_set():
            for message in self._consumer.consume(500, 0.1):
                if message.error() is None:
                    self.values.append(int(message.value() or b""))
            if time.monotonic() > next_commit_s:
                next_commit_s = time.monotonic() + 0.5
                self._commit()
        self._commit()
        self._consumer.close()

    def _commit(self) -> None:
        try:
            for each in self._consumer.commit(asynchronous=False) or []:
                # Where nothing new was read there is no offset in the answer.
                if each.error is None and each.offset >= 0:
                    self.committed[each.partition] = each.offset
        except KafkaException as error:
            # Coordinators come and go here; what may not happen is that one does not know its member.
            if error.args[0].name() in LOST_MEMBERSHIP:
                self.commit_errors.append(str(error))

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(30)


class Source:
    """Numbers to every partition, steadily; `acked` are those that are surely there."""

    def __init__(self, cluster: ProcessCluster) -> None:
        self._producer = Producer(
            {
                "bootstrap.servers": cluster.bootstrap,
                "enable.idempotence": True,
                "reconnect.backoff.max.ms": 300,
                "retry.backoff.ms": 30,
            },
            logger=SILENT,
        )
        self.acked: list[int] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        number = 0
        while not self._stop.is_set():
            self._producer.produce(TOPIC, b"%d" % number, partition=number % PARTITIONS, on_delivery=self._verdict)
            number += 1
            self._producer.poll(0.005)

    def _verdict(self, error: Any, message: Message) -> None:
        assert error is None, error
        self.acked.append(int(message.value() or b""))

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()
        assert self._producer.flush(60) == 0


@pytest.fixture
def cluster(make_cluster: ClusterMaker) -> ProcessCluster:
    made = make_cluster()
    create_topic(made, TOPIC, PARTITIONS)
    return made


@pytest.fixture
def groups(cluster: ProcessCluster) -> Iterator[dict[str, list[Member]]]:
    members = {group: [Member(cluster, group, number) for number in range(MEMBERS)] for group in GROUPS}
    everyone = [member for group in members.values() for member in group]
    for member in everyone:
        member.start()
    yield members
    for member in everyone:
        member.stop()


def test_every_broker_restarted_once(cluster: ProcessCluster, groups: dict[str, list[Member]]) -> None:
    everyone = [member for members in groups.values() for member in members]
    for members in groups.values():
        settled(lambda m=members: [len(each.assigned) for each in m], lambda found: found == [3, 3], 60)
    # Not before: what a first member has read and not committed when the second comes would be read twice.
    source = Source(cluster)
    settled(lambda: [len(member.values) for member in everyone], lambda counts: min(counts) > 0, 60)
    before = [member.rebalances for member in everyone]

    for node_id in sorted(cluster.nodes):
        assert cluster.stop(node_id) in (0, 143)  # a JVM's exit code tells of the signal
        all_go_on(everyone)
        cluster.start(node_id)
        whole(cluster)
        all_go_on(everyone)
    source.stop()
    wanted = set(source.acked)
    for name, members in groups.items():
        settled(lambda m=members: wanted.difference(*(each.values for each in m)), lambda missing: not missing, 60)
        assert len(wanted) == len(source.acked)
        counts = Counter(value for member in members for value in member.values)
        twice = [value for value, count in counts.items() if count > 1]
        assert not twice, f"{name} got {len(twice)} values twice without a rebalance, such as {twice[:3]}"
    assert [member.rebalances for member in everyone] == before, "a member had to rebalance"
    assert not [error for member in everyone for error in member.commit_errors]

    for member in everyone:
        member.stop()
    check_committed(cluster, groups)
    print(f"{cluster.kind}: {len(wanted)} values to {len(everyone)} members through {len(cluster.nodes)} restarts")


def all_go_on(members: list[Member]) -> None:
    """Each gets new values after this moment."""
    before = [len(member.values) for member in members]
    settled(
        lambda: [len(member.values) - then for member, then in zip(members, before, strict=True)],
        lambda gained: min(gained) > 0,
        60,
    )


def whole(cluster: ProcessCluster) -> None:
    def all_in_sync() -> bool:
        topics = [cluster.view.partitions(name) for name in (TOPIC, "__consumer_offsets")]
        return all(state.isr == set(state.replicas) for found in topics for state in found.values())

    settled(all_in_sync, timeout_s=60)


def check_committed(cluster: ProcessCluster, groups: dict[str, list[Member]]) -> None:
    """Whoever coordinates now knows the last offsets that were committed, after three moves."""
    for group, members in groups.items():
        asker = Consumer({"bootstrap.servers": cluster.bootstrap, "group.id": group})
        found = asker.committed([TopicPartition(TOPIC, partition) for partition in range(PARTITIONS)], timeout=30)
        asker.close()
        wanted = {partition: offset for member in members for partition, offset in member.committed.items()}
        assert {each.partition: each.offset for each in found} == wanted
