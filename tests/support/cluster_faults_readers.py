"""Readers of the fault workload: pollers that follow every partition all along, and final ones that read it all again.

Pollers are librdkafka consumers with an assignment of their own, so that no rebalance excuses a skip, and with
`auto.offset.reset=error`: being thrown off an offset is a finding. Final readers ask each node for its own replica.
"""

from __future__ import annotations

import threading
import time
from typing import Any

from confluent_kafka import Consumer, KafkaError, Message, TopicPartition

from support.cluster_faults_writers import SILENT
from support.cluster_processes import ProcessCluster
from support.cluster_raw import end_offset, read_log
from support.history import History, Read

# Anything else that a poll brings is the client telling of its troubles with brokers that come and go.
THROWN_OFF = {KafkaError._AUTO_OFFSET_RESET, KafkaError.OFFSET_OUT_OF_RANGE, KafkaError._LOG_TRUNCATION}


class Poller:
    def __init__(self, name: str, cluster: ProcessCluster, topic: str, partitions: int, history: History) -> None:
        self.name = name
        self._history = history
        self._topic, self._partitions = topic, partitions
        config: dict[str, Any] = {
            "bootstrap.servers": cluster.bootstrap,
            "group.id": f"{topic}-{name}",
            "enable.auto.commit": False,
            "auto.offset.reset": "error",
            "check.crcs": True,
            "reconnect.backoff.ms": 20,
            "reconnect.backoff.max.ms": 300,
            "socket.timeout.ms": 4_000,
            "socket.connection.setup.timeout.ms": 3_000,
            "topic.metadata.refresh.interval.ms": 2_000,
            "fetch.error.backoff.ms": 50,
            "fetch.wait.max.ms": 100,
        }
        self._consumer = Consumer(config, logger=SILENT)
        self._stop = threading.Event()
        self.seen: set[int] = set()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        for partition in range(self._partitions):
            self._history.seek(self.name, partition, 0)
        self._consumer.assign([TopicPartition(self._topic, partition, 0) for partition in range(self._partitions)])
        self._thread.start()

    def _run(self) -> None:
        while not self._stop.is_set():
            messages = self._consumer.consume(1_000, 0.1)
            records = [read for message in messages if (read := self._read(message)) is not None]
            if records:
                self._history.ok_poll(self.name, records)
                self.seen.update(record.value for record in records)
        self._consumer.close()

    def _read(self, message: Message) -> Read | None:
        error = message.error()
        if error is None:
            return Read(message.partition() or 0, message.offset() or 0, int(message.value() or b"-1"))
        if error.code() in THROWN_OFF or error.fatal():
            self._history.failed_poll(self.name, str(error))
        return None

    def wait_until_seen(self, values: set[int], timeout_s: float) -> None:
        """Progress is part of the promise: once all is healed, a reader catches up."""
        deadline = time.monotonic() + timeout_s
        while missing := values - self.seen:
            assert time.monotonic() < deadline, f"{self.name} still lacks {len(missing)} acknowledged values"
            time.sleep(0.05)

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(30)


def read_every_replica(cluster: ProcessCluster, topic: str, partitions: int, history: History) -> None:
    """Each node's own copy, as final readers named after the nodes."""
    for partition, state in cluster.view.partitions(topic).items():
        assert partition < partitions
        leader = cluster.nodes[state.leader]
        until = end_offset((leader.host, leader.port), topic, partition)
        for node in cluster.brokers:
            name = f"final-node-{node.node_id}"
            history.seek(name, partition, 0)
            found = read_log((node.host, node.port), topic, partition, until=until)
            history.ok_poll(name, [Read(partition, offset, int(value)) for offset, value in found])
