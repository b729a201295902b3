"""Quotas on a running broker: they hold, nobody is disconnected for them, and each kind answers as Kafka does.

`RIACHO_CONFORMANCE_PEER=1` (or `only`) runs the same bodies on Apache Kafka.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition

from conformance.raw import ClosedByBroker, RawConnection, batch, wait_until_served
from conformance.running_broker import RunningBroker, kinds, run
from conformance.waiting import eventually
from riacho.base.errors import ErrorCode

# Three whole spans of the eleven windows of a second over which rates are measured.
MEASURED_S = 33
TOLERANCE = 0.1
RECORD_SIZE_BYTES = 1_000
Parts = dict[str, str | None]


@pytest.fixture(scope="module", params=kinds())
def broker(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningBroker]:
    if request.param == "apache":
        from support.apache_kafka import available

        reason = available()
        if reason:
            pytest.skip(f"no Apache Kafka beside us: {reason}")
    with run(request.param, tmp_path_factory.mktemp("quotas")) as running:
        yield running


@pytest.fixture
def admin(broker: RunningBroker) -> Iterator[RawConnection]:
    with RawConnection(broker.address, client_id="quota-admin") as connection:
        yield connection


def alter(admin: RawConnection, entity: Parts, **values: float | None) -> None:
    entry = {
        "entity": [{"entity_type": kind, "entity_name": name} for kind, name in entity.items()],
        "ops": [{"key": key, "value": value or 0.0, "remove": value is None} for key, value in values.items()],
    }
    answer = admin.ask("AlterClientQuotas", 1, entries=[entry], validate_only=False)
    assert [(each.error_code, each.error_message) for each in answer.entries] == [(0, None)]


def create_topic(admin: RawConnection, name: str, partitions: int = 1) -> None:
    asked = {"name": name, "num_partitions": partitions, "replication_factor": 1}
    answer = admin.ask("CreateTopics", 7, topics=[asked], timeout_ms=10_000)
    assert [topic.error_code for topic in answer.topics] == [0]


class Clients:
    """Real clients at full speed on threads of their own; what they are told of trouble is kept."""

    def __init__(self, bootstrap: str) -> None:
        self._bootstrap = bootstrap
        self._is_over = threading.Event()
        self._threads: list[threading.Thread] = []
        self.errors: list[str] = []
        self.failures: list[str] = []
        self.throttled: dict[str, int] = {}
        self.consumed: dict[str, int] = {}

    def _settings(self, client_id: str) -> dict[str, Any]:
        return {
            "bootstrap.servers": self._bootstrap,
            "client.id": client_id,
            "error_cb": lambda error: self.errors.append(f"{client_id}: {error}"),
            "throttle_cb": lambda event: self._throttle(client_id, event.throttle_time),
        }

    def _throttle(self, client_id: str, throttle_s: float) -> None:
        if throttle_s > 0:
            self.throttled[client_id] = self.throttled.get(client_id, 0) + 1

    def produce(self, client_id: str, topic: str, *, acks: str) -> None:
        settings = {"acks": acks, "linger.ms": 5, "batch.size": 16_000, "queue.buffering.max.kbytes": 2_048}
        self._start(self._pump, Producer(self._settings(client_id) | settings), topic, client_id)

    def _pump(self, producer: Producer, topic: str, client_id: str) -> None:
        value = b"v" * RECORD_SIZE_BYTES

        def reported(error: KafkaError | None, _: Any) -> None:
            if error is not None and not self._is_over.is_set():
                self.failures.append(f"{client_id}: {error}")

        while not self._is_over.is_set():
            try:
                producer.produce(topic, value, on_delivery=reported)
                producer.poll(0)
            except BufferError:
                producer.poll(0.05)
        producer.purge()
        producer.flush(5)

    def consume(self, client_id: str, topic: str) -> None:
        settings = {"group.id": f"g-{client_id}", "fetch.message.max.bytes": 50_000, "enable.auto.commit": False}
        consumer = Consumer(self._settings(client_id) | settings)
        consumer.assign([TopicPartition(topic, 0, 0)])
        self.consumed[client_id] = 0
        self._start(self._drain, consumer, client_id)

    def _drain(self, consumer: Consumer, client_id: str) -> None:
        while not self._is_over.is_set():
            for message in consumer.consume(500, timeout=0.1):
                assert message.error() is None, message.error()
                self.consumed[client_id] += len(message.value())
        consumer.close()

    def _start(self, work: Callable[..., None], *arguments: Any) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def stop(self) -> None:
        self._is_over.set()
        for thread in self._threads:
            thread.join(30)
            assert not thread.is_alive()


def end_offset(admin: RawConnection, topic: str) -> int:
    asked = [{"name": topic, "partitions": [{"partition_index": 0, "timestamp": -1}]}]
    answer = admin.ask("ListOffsets", 5, replica_id=-1, topics=asked)
    return int(answer.topics[0].partitions[0].offset)


def fill(bootstrap: str, topic: str, count: int) -> None:
    producer = Producer({"bootstrap.servers": bootstrap, "client.id": "filler", "queue.buffering.max.kbytes": 8_192})
    for _ in range(count):
        while True:
            try:
                producer.produce(topic, b"f" * RECORD_SIZE_BYTES)
                break
            except BufferError:
                producer.poll(0.1)
    assert producer.flush(60) == 0


def test_produce_and_fetch_quotas_hold_and_disconnect_nobody(broker: RunningBroker, admin: RawConnection) -> None:
    """Several clients at once, each as fast as it can: alone, sharing, without answers, reading."""
    limits = {"alone": 700_000, "shared": 500_000, "silent": 400_000}
    for client_id, limit in limits.items():
        alter(admin, {"client-id": client_id}, producer_byte_rate=limit)
    alter(admin, {"user": "ANONYMOUS", "client-id": "reader"}, consumer_byte_rate=800_000)
    for topic in (*limits, "read"):
        create_topic(admin, topic)
    fill(broker.bootstrap, "read", 33_000)
    clients = Clients(broker.bootstrap)
    try:
        started_s = time.monotonic()
        clients.produce("alone", "alone", acks="all")
        for _ in range(2):
            clients.produce("shared", "shared", acks="1")
        clients.produce("silent", "silent", acks="0")
        clients.consume("reader", "read")
        threading.Event().wait(started_s + MEASURED_S - time.monotonic())
        elapsed_s = time.monotonic() - started_s
        rates = {topic: end_offset(admin, topic) * RECORD_SIZE_BYTES / elapsed_s for topic in limits}
        rates["reader"] = clients.consumed["reader"] / elapsed_s
    finally:
        clients.stop()
    shares = {name: rate / (limits | {"reader": 800_000})[name] for name, rate in rates.items()}
    assert {name: share for name, share in shares.items() if abs(share - 1) > TOLERANCE} == {}, shares
    assert clients.errors == []
    assert clients.failures == []
    assert {"alone", "shared", "reader"} <= clients.throttled.keys(), "clients hear of it"
    for client_id in limits:
        alter(admin, {"client-id": client_id}, producer_byte_rate=None)


def test_a_client_without_a_quota_is_not_held_up(broker: RunningBroker, admin: RawConnection) -> None:
    alter(admin, {"client-id": "somebody-else"}, producer_byte_rate=1, request_percentage=0.001)
    with RawConnection(broker.address, client_id="free") as connection:
        answers = [connection.ask("Metadata", 12, topics=[]) for _ in range(50)]
    assert {answer.throttle_time_ms for answer in answers} == {0}


def test_request_time_is_a_quota_too(broker: RunningBroker, admin: RawConnection) -> None:
    alter(admin, {"client-id": "hasty"}, request_percentage=0.01)
    with RawConnection(broker.address, client_id="hasty") as connection:

        def throttle_ms() -> int:
            return int(connection.ask("Metadata", 12, topics=None).throttle_time_ms)

        told_ms = next(found for _ in range(10_000) if (found := throttle_ms()) > 50)
        assert told_ms <= 1_000, "no longer than a window"
        asked_s = time.monotonic()
        throttle_ms()
        silent_ms = (time.monotonic() - asked_s) * 1_000
        assert silent_ms >= told_ms * 0.9, "the connection is not read for as long as it was told"
    alter(admin, {"client-id": "hasty"}, request_percentage=None)


def test_changes_of_metadata_are_counted_by_partition(broker: RunningBroker, admin: RawConnection) -> None:
    """KIP-599: a burst of eleven, refused when used up; older versions are only slowed down."""
    alter(admin, {"client-id": "creator"}, controller_mutation_rate=1)

    def create(connection: RawConnection, version: int, name: str, partitions: int) -> tuple[int, int]:
        asked = {"name": name, "num_partitions": partitions, "replication_factor": 1}
        answer = connection.ask("CreateTopics", version, topics=[asked], timeout_ms=10_000)
        return answer.topics[0].error_code, answer.throttle_time_ms

    def until_counted() -> None:
        """The controller hears of the quota a moment later than whoever set it."""
        with RawConnection(broker.address, client_id="quota-reader") as reader:
            component = {"entity_type": "client-id", "match_type": 0, "match": "creator"}
            eventually(lambda: reader.ask("DescribeClientQuotas", 1, components=[component], strict=True).entries != [])

    until_counted()
    with RawConnection(broker.address, client_id="creator") as connection:
        assert create(connection, 7, "first", 14) == (0, 0), "the last permits may be overdrawn"
        code, throttle_ms = create(connection, 7, "second", 1)
        assert code == ErrorCode.THROTTLING_QUOTA_EXCEEDED
        assert 2_000 < throttle_ms <= 3_000
    with RawConnection(broker.address, client_id="creator") as connection:
        code, throttle_ms = create(connection, 5, "third", 1)
        assert code == 0
        assert 1_000 < throttle_ms <= 4_000
    with RawConnection(broker.address, client_id="creator") as connection:
        answer = connection.ask("DeleteTopics", 6, topics=[{"name": "first"}], timeout_ms=10_000)
        assert answer.responses[0].error_code == ErrorCode.THROTTLING_QUOTA_EXCEEDED
        assert answer.throttle_time_ms > 1_000
    with RawConnection(broker.address, client_id="creator") as connection:
        asked = {"name": "first", "count": 15, "assignments": None}
        answer = connection.ask("CreatePartitions", 3, topics=[asked], timeout_ms=10_000)
        assert answer.results[0].error_code == ErrorCode.THROTTLING_QUOTA_EXCEEDED
    alter(admin, {"client-id": "creator"}, controller_mutation_rate=None)


def served(address: tuple[str, int], source: str) -> bool:
    """Whether a new connection from this address is served, or closed."""
    with socket.create_connection(address, timeout=10, source_address=(source, 0)) as raw:
        raw.sendall(b"\x00\x00\x00\x0b" + b"\x00\x12\x00\x00\x00\x00\x00\x01\x00\x01x")
        try:
            return len(raw.recv(4)) == 4
        except ConnectionError:
            return False


def test_an_address_may_not_connect_too_often(broker: RunningBroker, admin: RawConnection) -> None:
    alter(admin, {"ip": "127.0.0.7"}, connection_creation_rate=2)
    count = next(count for count in range(1_000) if not served(broker.address, "127.0.0.7"))
    assert count >= 20, "two per second over ten seconds may come at once"
    assert served(broker.address, "127.0.0.6"), "others may"
    alter(admin, {"ip": "127.0.0.7"}, connection_creation_rate=None)
    eventually(lambda: served(broker.address, "127.0.0.7"))


def test_an_address_may_not_hold_too_many_connections(broker: RunningBroker, admin: RawConnection) -> None:
    config = {"name": "max.connections.per.ip.overrides", "config_operation": 0, "value": "127.0.0.8:2"}
    resource = {"resource_type": 4, "resource_name": "", "configs": [config]}
    answer = admin.ask("IncrementalAlterConfigs", 1, resources=[resource], validate_only=False)
    assert answer.responses[0].error_code == 0
    held = [socket.create_connection(broker.address, timeout=10, source_address=("127.0.0.8", 0)) for _ in range(2)]
    eventually(lambda: not served(broker.address, "127.0.0.8"))
    for each in held:
        each.close()
    eventually(lambda: served(broker.address, "127.0.0.8"))


def test_no_quota_throws_anybody_out(broker: RunningBroker, admin: RawConnection) -> None:
    """A producer far above its limit is silenced for long, and its connection stays."""
    create_topic(admin, "bulk")
    alter(admin, {"client-id": "bulk"}, producer_byte_rate=10_000)
    with RawConnection(broker.address, client_id="bulk") as connection:
        data = [{"name": "bulk", "partition_data": [{"index": 0, "records": bytes(batch(b"x" * 120_000))}]}]
        answer = connection.ask("Produce", 9, acks=1, timeout_ms=5_000, topic_data=data)
        assert 1_500 < answer.throttle_time_ms < 3_000
        asked_s = time.monotonic()
        try:
            connection.ask("ApiVersions", 3, client_software_name="x", client_software_version="1")
        except ClosedByBroker:
            pytest.fail("the broker hung up")
        assert (time.monotonic() - asked_s) * 1_000 >= answer.throttle_time_ms * 0.9


def test_a_quota_counts_for_a_producer_that_is_writing_already(broker: RunningBroker, admin: RawConnection) -> None:
    create_topic(admin, "running")
    wait_until_served(admin, "running")
    with RawConnection(broker.address, client_id="running") as connection:

        def throttle_ms() -> int:
            data = [{"name": "running", "partition_data": [{"index": 0, "records": bytes(batch(b"x" * 1_000))}]}]
            return int(connection.ask("Produce", 9, acks=1, timeout_ms=5_000, topic_data=data).throttle_time_ms)

        assert [throttle_ms() for _ in range(5)] == [0] * 5
        alter(admin, {"user": None, "client-id": "running"}, producer_byte_rate=1_000)
        assert any(throttle_ms() > 0 for _ in range(200))
        alter(admin, {"user": None, "client-id": "running"}, producer_byte_rate=None)
        eventually(lambda: throttle_ms() == 0)
