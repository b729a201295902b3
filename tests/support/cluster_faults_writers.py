"""Producers of the fault workload: each writes ascending numbers for keys of its own, and notes invoke and verdict.

Values are unique by construction: a writer's number times 10**9 plus a count. Three kinds, because clients fail in
different ways: librdkafka and kafka-python, both idempotent with acks=all, and a bare one that sends each value once.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from abc import ABC, abstractmethod
from typing import Any

from confluent_kafka import KafkaError, Message, Producer
from kafka import KafkaProducer

from conformance.raw import ClosedByBroker, RawConnection
from riacho.base.errors import ErrorCode
from riacho.base.errors import KafkaError as BrokerError
from support import cluster_raw
from support.cluster_processes import ProcessCluster
from support.history import History

SILENT = logging.Logger("silent", level=logging.CRITICAL)  # refused connections are what this workload is about
logging.getLogger("kafka").setLevel(logging.CRITICAL)
# The broker says so before it appends anything. NOT_LEADER_OR_FOLLOWER is no such word: a leader that stored the record
# and lost its replicated log while it waited for followers says so too.
SURELY_NOT_STORED = {
    ErrorCode.NOT_ENOUGH_REPLICAS,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ErrorCode.LEADER_NOT_AVAILABLE,
}


class Writer(ABC):
    """A thread that writes at a steady pace until told to finish."""

    def __init__(
        self, number: int, cluster: ProcessCluster, topic: str, partitions: int, history: History, rate: float
    ) -> None:
        self.name = f"{type(self).__name__}-{number}"
        self._base = number * 10**9
        self._cluster, self._topic, self._partitions, self._history = cluster, topic, partitions, history
        self._interval_s = 1 / rate
        self._stop = threading.Event()
        self.acked = [0] * partitions
        self._thread = threading.Thread(target=self._run, name=self.name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()

    def join(self, timeout_s: float) -> None:
        self._thread.join(timeout_s)
        assert not self._thread.is_alive(), f"{self.name} has writes without a verdict after {timeout_s} s"

    def _run(self) -> None:
        self._open()
        due_s, count = time.monotonic(), 0
        while not self._stop.is_set():
            value, partition = self._base + count, count % self._partitions
            self._send(self._key(partition), value, partition)
            count += 1
            due_s = max(due_s + self._interval_s, time.monotonic() - 1.0)
            self._pause(max(due_s - time.monotonic(), 0.0))
        self._finish()

    def _key(self, partition: int) -> str:
        return f"{self.name}/{partition}"

    def _acked(self, key: str, value: int, partition: int, offset: int) -> None:
        self._history.ok_send(self.name, key, value, partition, offset)
        self.acked[partition] += 1

    def _pause(self, seconds: float) -> None:
        self._stop.wait(seconds)

    @abstractmethod
    def _open(self) -> None: ...
    @abstractmethod
    def _send(self, key: str, value: int, partition: int) -> None: ...
    @abstractmethod
    def _finish(self) -> None: ...


class Librdkafka(Writer):
    def _open(self) -> None:
        config: dict[str, Any] = {
            "bootstrap.servers": self._cluster.bootstrap,
            "enable.idempotence": True,
            "acks": "all",
            "linger.ms": 2,
            "message.timeout.ms": 300_000,
            "reconnect.backoff.ms": 20,
            "reconnect.backoff.max.ms": 300,
            "retry.backoff.ms": 30,
            "socket.timeout.ms": 4_000,
            "socket.connection.setup.timeout.ms": 3_000,
            "topic.metadata.refresh.interval.ms": 2_000,
            "topic.metadata.refresh.fast.interval.ms": 50,
            "queue.buffering.max.messages": 5_000,
            **self._cluster.producer_settings,
        }
        self._producer = Producer(config, logger=SILENT)

    def _send(self, key: str, value: int, partition: int) -> None:
        def verdict(error: KafkaError | None, message: Message) -> None:
            if error is None:
                # A retry that the broker knew as a duplicate is acknowledged without its place.
                offset = message.offset()
                self._acked(key, value, message.partition() or 0, -1 if offset is None else offset)
            else:
                self._history.failed_send(self.name, key, value, partition, str(error))

        self._history.invoke_send(self.name, key, value, partition)
        while True:
            try:
                self._producer.produce(self._topic, b"%d" % value, key=key, partition=partition, on_delivery=verdict)
                return
            except BufferError:
                self._producer.poll(0.05)

    def _pause(self, seconds: float) -> None:
        self._producer.poll(seconds)

    def _finish(self) -> None:
        self._producer.flush(120)


class KafkaPython(Writer):
    def _open(self) -> None:
        while True:
            with contextlib.suppress(Exception):  # no broker may be reachable at this very moment
                self._producer = KafkaProducer(
                    bootstrap_servers=self._cluster.bootstrap.split(","),
                    acks="all",
                    enable_idempotence=True,
                    request_timeout_ms=4_000,
                    delivery_timeout_ms=300_000,
                    max_block_ms=60_000,
                    reconnect_backoff_ms=20,
                    reconnect_backoff_max_ms=300,
                    retry_backoff_ms=30,
                    metadata_max_age_ms=2_000,
                )
                return
            time.sleep(0.1)

    def _send(self, key: str, value: int, partition: int) -> None:
        self._history.invoke_send(self.name, key, value, partition)

        def failed(error: Exception) -> None:
            self._history.failed_send(self.name, key, value, partition, repr(error))

        def acked(place: Any) -> None:
            self._acked(key, value, place.partition, place.offset)

        try:
            future = self._producer.send(self._topic, b"%d" % value, key=key.encode(), partition=partition)
        except Exception as error:
            failed(error)
            return
        future.add_callback(acked)
        future.add_errback(failed)

    def _finish(self) -> None:
        self._producer.flush(120)
        self._producer.close(10)


class Bare(Writer):
    """One connection to the leader, one record a request, each value once: an error is never retried.

    A request that got no answer may still arrive, later than those after it, so from then on it writes another key.
    """

    _generation = 0
    _connection: RawConnection | None = None
    _node = -1

    def _open(self) -> None:
        pass

    def _key(self, partition: int) -> str:
        return f"{self.name}/{partition}/{self._generation}"

    def _send(self, key: str, value: int, partition: int) -> None:
        connection = self._connect(partition)
        if connection is None:
            self._stop.wait(0.05)
            return
        self._history.invoke_send(self.name, key, value, partition)
        try:
            answer = cluster_raw.produce(connection, self._topic, b"%d" % value, partition, key=key.encode())
        except (ClosedByBroker, OSError) as error:
            self._doubt(key, value, partition, repr(error))
            return
        if answer.error_code == 0:
            self._acked(key, value, partition, answer.base_offset)
        elif answer.error_code in SURELY_NOT_STORED:
            code = ErrorCode(answer.error_code).name
            self._history.failed_send(self.name, key, value, partition, code, surely=True)
            self._hang_up()
        else:
            self._doubt(key, value, partition, ErrorCode(answer.error_code).name)

    def _doubt(self, key: str, value: int, partition: int, error: str) -> None:
        self._history.failed_send(self.name, key, value, partition, error)
        self._generation += 1
        self._hang_up()

    def _connect(self, partition: int) -> RawConnection | None:
        try:
            leader = self._leaders().get(partition, -1)
            if leader != self._node or self._connection is None:
                self._hang_up()
                node = self._cluster.nodes[leader]
                self._connection, self._node = RawConnection((node.host, node.port)), leader
                self._connection.socket.settimeout(6)
        except (BrokerError, OSError, KeyError):
            return None
        return self._connection

    def _leaders(self) -> dict[int, int]:
        """Asked for anew only when the connection was lost or a second passed."""
        now_s = time.monotonic()
        if self._connection is None or now_s > self._leaders_until_s:
            found = self._cluster.view.partitions(self._topic)
            self._known_leaders = {index: state.leader for index, state in found.items()}
            self._leaders_until_s = now_s + 1.0
        return self._known_leaders

    _leaders_until_s = 0.0
    _known_leaders: dict[int, int] = {}

    def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.socket.close()
        self._connection, self._node = None, -1

    def _finish(self) -> None:
        self._hang_up()
