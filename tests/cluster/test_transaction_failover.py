"""Transactions while brokers are killed between every two of their steps: the coordinator's, or a partition leader's.

Whatever was committed is read once, nothing of what was aborted is read at all, and no transaction stays open: the
last stable offset of every partition reaches its end.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition

from cluster.conftest import ClusterMaker
from support.cluster_coordinator import coordinator_of
from support.cluster_faults_writers import SILENT
from support.cluster_processes import ProcessCluster
from support.cluster_topics import create_topic
from support.cluster_view import settled
from support.raw_transactions import RawTransactions

TOPIC = "transfers"
SOURCE = "orders"
GROUP = "workers"
PARTITIONS = 3
TIMEOUT_S = 60.0
STEPS = ("begun", "produced", "ending", "ended")
RAW_STEPS = ("initialised", "produced", "offsets sent", "ended")
pytestmark = pytest.mark.timeout(400)


@pytest.fixture(scope="module")
def cluster(make_module_cluster: ClusterMaker) -> ProcessCluster:
    cluster = make_module_cluster(properties={"transaction.abort.timed.out.transaction.cleanup.interval.ms": "500"})
    create_topic(cluster, TOPIC, PARTITIONS)
    create_topic(cluster, SOURCE, 1)
    return cluster


class Worker:
    """A producer of transactions that remembers what must be read, and what must not."""

    def __init__(self, cluster: ProcessCluster, transactional_id: str) -> None:
        self.transactional_id = transactional_id
        self.committed: list[bytes] = []
        self.aborted: list[bytes] = []
        self._serial = 0
        self._producer = Producer(
            {
                "bootstrap.servers": cluster.bootstrap,
                "transactional.id": transactional_id,
                "transaction.timeout.ms": 60_000,
                "linger.ms": 0,
                "reconnect.backoff.max.ms": 300,
                "retry.backoff.ms": 50,
            },
            logger=SILENT,
        )

    def transaction(self, is_committed: bool, at: Callable[[str], None]) -> None:
        """One transaction; `at` is called between its steps. Where the client says that it must abort, it does."""
        self._serial += 1
        values = [b"%s-%d-%d" % (self.transactional_id.encode(), self._serial, n) for n in range(PARTITIONS)]
        try:
            self._producer.begin_transaction()
            at("begun")
            for index, value in enumerate(values):
                self._producer.produce(TOPIC, value, partition=index)
            assert self._producer.flush(TIMEOUT_S) == 0
            at("produced")
            killer = threading.Thread(target=at, args=("ending",))
            killer.start()
            try:
                if is_committed:
                    _patiently(lambda: self._producer.commit_transaction(TIMEOUT_S))
                else:
                    _patiently(lambda: self._producer.abort_transaction(TIMEOUT_S))
            finally:
                killer.join()
        except KafkaException as error:
            if not error.args[0].txn_requires_abort():
                raise
            _patiently(lambda: self._producer.abort_transaction(TIMEOUT_S))
            is_committed = False
        (self.committed if is_committed else self.aborted).extend(values)
        at("ended")

    def initialise(self) -> None:
        _patiently(lambda: self._producer.init_transactions(TIMEOUT_S))


def _patiently(call: Callable[[], Any]) -> None:
    """As the client's documentation has it: what is retriable is tried again."""
    deadline = time.monotonic() + TIMEOUT_S
    while True:
        try:
            call()
            return
        except KafkaException as error:
            if not error.args[0].retriable() or time.monotonic() > deadline:
                raise


def read_committed(cluster: ProcessCluster) -> dict[int, list[bytes]]:
    """All that a read_committed consumer gets until each partition's last stable offset is its end."""
    consumer = Consumer(
        {
            "bootstrap.servers": cluster.bootstrap,
            "group.id": "reader",
            "isolation.level": "read_committed",
            "enable.partition.eof": True,
            "enable.auto.commit": False,
        },
        logger=SILENT,
    )
    consumer.assign([TopicPartition(TOPIC, index, 0) for index in range(PARTITIONS)])
    values: dict[int, list[bytes]] = {index: [] for index in range(PARTITIONS)}
    ends: set[int] = set()
    deadline = time.monotonic() + TIMEOUT_S
    try:
        while len(ends) < PARTITIONS:
            assert time.monotonic() < deadline, f"only {ends} were read to their end"
            message = consumer.poll(0.2)
            if message is None:
                continue
            if message.error() is not None:
                if message.error().name() == "_PARTITION_EOF":
                    ends.add(message.partition())
                continue
            values[message.partition()].append(message.value() or b"")
    finally:
        consumer.close()
    return values


def ends(cluster: ProcessCluster, isolation_level: str) -> list[int]:
    consumer = Consumer(
        {"bootstrap.servers": cluster.bootstrap, "group.id": "ends", "isolation.level": isolation_level},
        logger=SILENT,
    )
    try:
        return [consumer.get_watermark_offsets(TopicPartition(TOPIC, index), 10.0)[1] for index in range(PARTITIONS)]
    finally:
        consumer.close()


def is_all_stable(cluster: ProcessCluster) -> bool:
    """Whether the last stable offset of each partition is its end."""
    try:
        return ends(cluster, "read_committed") == ends(cluster, "read_uncommitted")
    except KafkaException:
        # A broker was just killed.
        return False


def committed_offset(cluster: ProcessCluster) -> int:
    consumer = Consumer({"bootstrap.servers": cluster.bootstrap, "group.id": GROUP}, logger=SILENT)
    try:
        offset: int = consumer.committed([TopicPartition(SOURCE, 0)], 30.0)[0].offset
        return offset
    finally:
        consumer.close()


class Killer:
    """Kills a broker; once the others have taken over it comes back. A client may hold on to a coordinator that it
    knows until that is up again (librdkafka does), so it must not stay away for good."""

    def __init__(self, cluster: ProcessCluster, find: Callable[[], int]) -> None:
        self._cluster = cluster
        self._find = find
        self._revival: threading.Thread | None = None

    def kill(self) -> None:
        self.wait()
        node_id = self._find()
        self._cluster.kill(node_id)
        self._revival = threading.Thread(target=self._revive, args=(node_id,))
        self._revival.start()

    def _revive(self, node_id: int) -> None:
        for topic in (TOPIC, "__transaction_state", "__consumer_offsets"):
            settled(
                lambda topic=topic: self._cluster.view.partitions(topic).values(),
                lambda found: all(state.leader not in (node_id, -1) for state in found),
            )
        self._cluster.start(node_id)

    def wait(self) -> None:
        """Until all are there again."""
        if self._revival is not None:
            self._revival.join()
            self._revival = None
            self._cluster.wait_for_brokers({1, 2, 3})


@pytest.mark.parametrize("victim", ["coordinator", "leader"])
def test_every_step_survives_the_loss_of_a_broker(cluster: ProcessCluster, victim: str) -> None:
    worker = Worker(cluster, f"kill-{victim}")

    def find() -> int:
        if victim == "coordinator":
            return coordinator_of(cluster, worker.transactional_id)
        return cluster.view.leader_of(TOPIC)

    killer = Killer(cluster, find)
    worker.initialise()
    worker.transaction(True, lambda at: None)
    killer.kill()
    for step in STEPS:
        for is_committed in (True, False):
            worker.transaction(is_committed, lambda at, step=step: killer.kill() if at == step else None)
    killer.wait()
    settled(lambda: is_all_stable(cluster), timeout_s=TIMEOUT_S)
    own = worker.transactional_id.encode()
    seen = [value for values in read_committed(cluster).values() for value in values if value.startswith(own)]
    assert sorted(seen) == sorted(worker.committed)
    assert len(worker.committed) > len(STEPS)


@pytest.mark.parametrize("victim", ["coordinator", "leader", "group coordinator"])
def test_no_step_of_version_2_has_to_be_given_up(cluster: ProcessCluster, victim: str) -> None:
    """By hand, so that each step is repeated as it stands until it is taken: with KIP-890 none may be refused."""
    transactional_id = f"raw-{victim.replace(' ', '-')}"
    finders = {
        "coordinator": lambda: coordinator_of(cluster, transactional_id),
        "leader": lambda: cluster.view.leader_of(TOPIC),
        "group coordinator": lambda: coordinator_of(cluster, GROUP, key_type=0),
    }
    killer = Killer(cluster, finders[victim])
    with RawTransactions(cluster.bootstrap, transactional_id) as producer:
        committed, offset = [], -1
        for serial, (step, is_committed) in enumerate(itertools.product(RAW_STEPS, (True, False))):

            def at(reached: str, step: str = step) -> None:
                if reached == step:
                    killer.kill()

            if step == "initialised":
                producer.initialise()
            at("initialised")
            values = [b"%s-%d-%d" % (transactional_id.encode(), serial, index) for index in range(PARTITIONS)]
            for index, value in enumerate(values):
                producer.produce(TOPIC, index, value)
            at("produced")
            producer.commit_offset(GROUP, SOURCE, 0, serial)
            at("offsets sent")
            producer.end(is_committed)
            at("ended")
            if is_committed:
                committed += values
                offset = serial
        killer.wait()
        settled(lambda: is_all_stable(cluster), timeout_s=TIMEOUT_S)
        own = transactional_id.encode()
        seen = [value for values in read_committed(cluster).values() for value in values if value.startswith(own)]
        assert sorted(seen) == sorted(committed)
        assert settled(lambda: committed_offset(cluster), lambda found: found == offset) == offset


def test_a_producer_that_dies_is_cleaned_up_after(cluster: ProcessCluster) -> None:
    """Its transaction is open and its coordinator is killed: the next coordinator lets it time out."""
    producer = Producer(
        {"bootstrap.servers": cluster.bootstrap, "transactional.id": "gone", "transaction.timeout.ms": 3_000},
        logger=SILENT,
    )
    producer.init_transactions(TIMEOUT_S)
    producer.begin_transaction()
    for index in range(PARTITIONS):
        producer.produce(TOPIC, b"gone", partition=index)
    assert producer.flush(TIMEOUT_S) == 0
    victim = coordinator_of(cluster, "gone")
    cluster.kill(victim)
    settled(lambda: is_all_stable(cluster), timeout_s=TIMEOUT_S)
    cluster.start(victim)
    assert b"gone" not in {value for values in read_committed(cluster).values() for value in values}
