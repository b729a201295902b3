"""REST proxies on three brokers that are killed and stopped, with callers that are too fast, too slow, or gone.

What was answered with an offset is in the log, there and nowhere else; what failed says so; every call is answered.
"""

from __future__ import annotations

import itertools
import json
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, Producer, TopicPartition

from cluster.conftest import ClusterMaker
from support.cluster_coordinator import GROUP, coordinator_of
from support.cluster_faults_writers import SILENT
from support.cluster_processes import ProcessCluster
from support.cluster_topics import create_topic
from support.cluster_view import settled
from support.service_process import running_service

pytestmark = pytest.mark.timeout(400)

PATIENCE_S = 120.0
BROKERS = {"broker.session.timeout.ms": "3000", "broker.heartbeat.interval.ms": "500"}
JSON_V2, BINARY_V2, V2 = (f"application/vnd.kafka.{each}v2+json" for each in ("json.", "binary.", ""))
MIB = 1 << 20
# Far more than any of this should take, far less than if everything that is there or sent were held.
GROWTH_BYTES_MAX = 400 * MIB


@pytest.fixture(scope="module")
def cluster(make_module_cluster: ClusterMaker) -> ProcessCluster:
    return make_module_cluster(properties=BROKERS)


def proxy_of(cluster: ProcessCluster, directory: Path, **more: str) -> Any:
    properties = {name.replace("_", "."): value for name, value in more.items()}
    return running_service("rest-proxy", cluster.bootstrap, directory, {"schema.registry.url": ""} | properties)


def client_of(url: str) -> httpx.Client:
    """A call that is not answered in this time counts as never answered."""
    return httpx.Client(base_url=url, timeout=PATIENCE_S)


def records_path(client: httpx.Client, topic: str) -> str:
    return f"/v3/clusters/{client.get('/v3/clusters').json()['data'][0]['cluster_id']}/topics/{topic}/records"


def read_all(cluster: ProcessCluster, topic: str, partitions: int) -> dict[tuple[int, int], str]:
    """Values by partition and offset."""
    settings = {"bootstrap.servers": cluster.bootstrap, "group.id": "audit", "enable.partition.eof": True}
    consumer = Consumer(settings, logger=SILENT)
    try:
        consumer.assign([TopicPartition(topic, number, OFFSET_BEGINNING) for number in range(partitions)])
        found: dict[tuple[int, int], str] = {}
        ended: set[int] = set()
        while len(ended) < partitions:
            message = consumer.poll(PATIENCE_S)
            assert message is not None, f"{topic} cannot be read"
            error = message.error()
            if error is None:
                found[message.partition(), message.offset()] = message.value().decode()
            elif error.code() == KafkaError._PARTITION_EOF:
                ended.add(message.partition())
        return found
    finally:
        consumer.close()


# Producing while a broker dies


class Producing:
    """Callers of one proxy that write without pause, each value once, and what each was told."""

    def __init__(self, url: str, topic: str) -> None:
        self._url, self._topic = url, topic
        with client_of(url) as client:
            self._v3_path = records_path(client, topic)
        self._stopping = threading.Event()
        self._values = itertools.count()
        self.placed: dict[str, tuple[int, int]] = {}
        self.failed: dict[str, int] = {}
        self.refused: list[str] = []

    def run(self, call: Callable[[httpx.Client, list[str]], None]) -> None:
        with client_of(self._url) as client:
            while not self._stopping.wait(0.02):
                call(client, [f'"{next(self._values)}"' for _ in range(5)])

    def stop(self) -> None:
        self._stopping.set()

    def by_v2(self, client: httpx.Client, values: list[str]) -> None:
        body = {"records": [{"value": json.loads(value)} for value in values]}
        answer = client.post(f"/topics/{self._topic}", json=body, headers={"Content-Type": JSON_V2})
        if answer.status_code != 200:
            self.refused.append(answer.text)
            return
        for value, receipt in zip(values, answer.json()["offsets"], strict=True):
            if receipt["error_code"] is None:
                self.placed[value] = receipt["partition"], receipt["offset"]
            else:
                assert receipt["offset"] is None
                self.failed[value] = receipt["error_code"]

    def by_v3_batch(self, client: httpx.Client, values: list[str]) -> None:
        data = [{"id": value, "value": {"type": "JSON", "data": json.loads(value)}} for value in values]
        answer = client.post(f"{self._v3_path}:batch", json={"entries": data})
        if answer.status_code != 207:
            self.refused.append(answer.text)
            return
        for receipt in answer.json()["successes"]:
            self.placed[receipt["id"]] = receipt["partition_id"], receipt["offset"]
        for receipt in answer.json()["failures"]:
            self.failed[receipt["id"]] = receipt["error_code"]

    def by_v3_stream(self, client: httpx.Client, values: list[str]) -> None:
        objects = [json.dumps({"value": {"type": "JSON", "data": json.loads(value)}}) for value in values]
        kind = {"Content-Type": "application/json"}
        answer = client.post(self._v3_path, content="\n".join(objects), headers=kind)
        if answer.status_code != 200:
            self.refused.append(answer.text)
            return
        for value, line in zip(values, answer.text.splitlines(), strict=True):
            receipt = json.loads(line)
            if receipt["error_code"] == 200:
                self.placed[value] = receipt["partition_id"], receipt["offset"]
            else:
                self.failed[value] = receipt["error_code"]

    def progress(self, count: int) -> None:
        wanted = len(self.placed) + count
        settled(lambda: len(self.placed), lambda placed: placed >= wanted, PATIENCE_S)


def test_what_has_an_offset_is_in_the_log_once_though_a_broker_dies(cluster: ProcessCluster, tmp_path: Path) -> None:
    create_topic(cluster, "written", 3)
    with proxy_of(cluster, tmp_path) as proxy, ThreadPoolExecutor(4) as threads:
        producing = Producing(proxy.url, "written")
        try:
            calls = (producing.by_v2, producing.by_v2, producing.by_v3_batch, producing.by_v3_stream)
            running = [threads.submit(producing.run, call) for call in calls]
            producing.progress(50)
            victim = cluster.view.leader_of("written")
            cluster.kill(victim)
            producing.progress(200)
            cluster.start(victim)
            producing.progress(100)
        finally:
            producing.stop()
        for done in running:
            done.result(2 * PATIENCE_S)
        assert proxy.is_running
        assert "Traceback" not in proxy.output()
    log = read_all(cluster, "written", 3)
    for value, place in producing.placed.items():
        assert log.get(place) == value, f"{value} was answered with {place}, which holds {log.get(place)}"
    twice = [value for value, count in Counter(log.values()).items() if count > 1]
    assert not twice
    assert all(code >= 400 for code in producing.failed.values()), producing.failed
    assert all("error_code" in json.loads(text) for text in producing.refused), producing.refused
    print(f"{len(producing.placed)} placed, {len(producing.failed)} failed, {len(producing.refused)} calls refused")


# Consumer instances


class Reading:
    """A consumer instance that commits what it was given, and must not be given it again."""

    def __init__(self, client: httpx.Client, group: str, name: str, topic: str) -> None:
        self._client = client
        self.path = f"/consumers/{group}/instances/{name}"
        wanted = {"name": name, "format": "json", "auto.offset.reset": "earliest", "auto.commit.enable": "false"}
        self._post(f"/consumers/{group}", wanted, 200)
        self._post(f"{self.path}/subscription", {"topics": [topic]}, 204)
        self.given: set[int] = set()
        self.committed: set[int] = set()

    def _post(self, path: str, body: object, status: int) -> None:
        answer = self._client.post(path, json=body, headers={"Content-Type": V2})
        assert answer.status_code == status, answer.text

    def step(self) -> None:
        answer = self._client.get(f"{self.path}/records", headers={"Accept": JSON_V2})
        if answer.status_code != 200:
            assert answer.status_code >= 500, answer.text
            return
        values = {record["value"] for record in answer.json()}
        assert not values & self.committed, "records came again after their commit"
        self.given |= values
        offsets = self._client.post(f"{self.path}/offsets", headers={"Content-Type": V2})
        if offsets.status_code == 200:
            self.committed = set(self.given)
        else:
            assert offsets.status_code >= 500, offsets.text

    def until(self, count: int) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while len(self.given) < count or self.committed != self.given:
            assert time.monotonic() < deadline, f"{len(self.given)} of {count} given, {len(self.committed)} committed"
            self.step()

    def delete(self) -> None:
        assert self._client.delete(self.path, headers={"Content-Type": V2}).status_code == 204


def send(cluster: ProcessCluster, topic: str, values: range) -> None:
    producer = Producer({"bootstrap.servers": cluster.bootstrap, "acks": "all"}, logger=SILENT)
    failures: list[Any] = []
    for value in values:
        producer.produce(topic, b"%d" % value, on_delivery=lambda error, _: error and failures.append(error))
    assert producer.flush(PATIENCE_S) == 0
    assert not failures


def test_a_consumer_instance_survives_the_death_of_its_coordinator(cluster: ProcessCluster, tmp_path: Path) -> None:
    create_topic(cluster, "read", 2)
    send(cluster, "read", range(200))
    with proxy_of(cluster, tmp_path) as proxy, client_of(proxy.url) as client:
        reading = Reading(client, "readers", "one", "read")
        reading.until(200)
        path = records_path(client, "read").partition("/topics")[0] + "/consumer-groups/readers"
        assert client.get(path).status_code == 200
        victim = coordinator_of(cluster, "readers", GROUP, PATIENCE_S)
        cluster.kill(victim)
        send(cluster, "read", range(200, 400))
        reading.until(400)
        cluster.start(victim)
        send(cluster, "read", range(400, 500))
        reading.until(500)
        assert reading.given == set(range(500))
        # Its group is found at the new coordinator, too.
        settled(lambda: client.get(path).status_code, lambda status: status == 200, PATIENCE_S)
        reading.delete()
        # Whoever comes after it in the group goes on where it committed.
        send(cluster, "read", range(500, 510))
        heir = Reading(client, "readers", "two", "read")
        heir.until(10)
        assert heir.given == set(range(500, 510))
        assert "Traceback" not in proxy.output()


def test_instances_of_a_killed_proxy_are_gone_and_another_proxy_serves(cluster: ProcessCluster, tmp_path: Path) -> None:
    create_topic(cluster, "left", 1)
    send(cluster, "left", range(20))
    with proxy_of(cluster, tmp_path / "a") as first, proxy_of(cluster, tmp_path / "b") as second:
        with client_of(first.url) as client:
            Reading(client, "heirs", "lost", "left").until(20)
        first.kill()
        with client_of(second.url) as client:
            gone = client.get("/consumers/heirs/instances/lost/records", headers={"Accept": JSON_V2})
            assert (gone.status_code, gone.json()["error_code"]) == (404, 40403)
            body = {"records": [{"value": 20}]}
            written = client.post("/topics/left", json=body, headers={"Content-Type": JSON_V2})
            assert written.json()["offsets"][0]["offset"] == 20, written.text
            # Not of the same group, which waits for the dead one as long as its session lasts.
            heir = Reading(client, "others", "found", "left")
            heir.until(21)
        first.start()
        with client_of(first.url) as client:
            gone = client.get("/consumers/heirs/instances/lost/records", headers={"Accept": JSON_V2})
            assert (gone.status_code, gone.json()["error_code"]) == (404, 40403)


# Callers that do not read, callers that are too fast


def open_call(url: str, head: str) -> socket.socket:
    """A call whose answer nobody reads; little of it fits into this side's buffer."""
    parts = urlsplit(url)
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.settimeout(PATIENCE_S)
    connection.connect((parts.hostname, parts.port))
    connection.sendall(f"{head}\r\nHost: localhost\r\n".encode())
    return connection


def endless(connection: socket.socket, line: bytes, stopping: threading.Event) -> None:
    """Records without end, as long as the other side takes them."""
    chunks = memoryview(b"%x\r\n%b\r\n" % (len(line), line) * 100)
    rest = chunks
    connection.settimeout(0.2)
    while not stopping.is_set():
        try:
            rest = rest[connection.send(rest) :] or chunks
        except TimeoutError:
            continue
        except OSError:
            return


@pytest.fixture
def stopping() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def test_callers_that_never_read_hold_nobody_and_no_memory(
    cluster: ProcessCluster, tmp_path: Path, stopping: threading.Event
) -> None:
    create_topic(cluster, "large", 1)
    create_topic(cluster, "small", 1)
    producer = Producer({"bootstrap.servers": cluster.bootstrap}, logger=SILENT)
    for _ in range(160):
        producer.produce("large", b"x" * 500_000)
        producer.poll(0)
    assert producer.flush(PATIENCE_S) == 0
    with proxy_of(cluster, tmp_path) as proxy, client_of(proxy.url) as client:
        path = records_path(client, "large")
        small = {"records": [{"value": 1}]}
        kind = {"Content-Type": JSON_V2}
        assert client.post("/topics/small", json=small, headers=kind).status_code == 200
        before = proxy.resident_bytes()
        readers = [open_call(proxy.url, f"GET {path}?from=earliest HTTP/1.1") for _ in range(8)]
        for reader in readers:
            reader.sendall(b"Accept: application/x-ndjson\r\n\r\n")
        for reader in readers:
            assert reader.recv(12) == b"HTTP/1.1 200"
        writer = open_call(proxy.url, f"POST {records_path(client, 'small')} HTTP/1.1")
        writer.sendall(b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
        record = json.dumps({"value": {"type": "STRING", "data": "y" * 50}}).encode() + b"\n"
        feeder = threading.Thread(target=endless, args=(writer, record, stopping), daemon=True)
        feeder.start()
        for _ in range(100):
            answer = client.post("/topics/small", json=small, headers=kind)
            assert answer.status_code == 200, answer.text
            assert client.get("/topics/small").status_code == 200
        grown = proxy.resident_bytes() - before
        stopping.set()
        feeder.join(PATIENCE_S)
        for connection in (*readers, writer):
            connection.close()
        assert client.get("/topics/small").status_code == 200
        print(f"grown by {grown / MIB:.0f} MiB")
        assert grown < GROWTH_BYTES_MAX


def test_more_than_brokers_take_is_refused_with_429_and_memory_is_bounded(
    cluster: ProcessCluster, tmp_path: Path
) -> None:
    create_topic(cluster, "flood", 1)
    body = json.dumps({"records": [{"value": "QUJD" * 250_000}]}).encode()
    kind = {"Content-Type": BINARY_V2}
    with (
        proxy_of(cluster, tmp_path, riacho_produce_bytes_max=str(8 * MIB), default_api_timeout_ms="120000") as proxy,
        ThreadPoolExecutor(200) as threads,
    ):

        def write() -> httpx.Response:
            # Each with a client of its own: threads that share one close each other's connections under load.
            with client_of(proxy.url) as client:
                return client.post("/topics/flood", content=body, headers=kind)

        assert write().json()["offsets"][0]["offset"] == 0
        before = proxy.resident_bytes()
        for node in cluster.brokers:
            cluster.pause(node.node_id)
        try:
            calls = [threads.submit(write) for _ in range(150)]
            settled(lambda: sum(call.done() for call in calls), lambda done: done >= 100, PATIENCE_S)
            grown = proxy.resident_bytes() - before
        finally:
            for node in cluster.brokers:
                cluster.resume(node.node_id)
        answers = [call.result(2 * PATIENCE_S) for call in calls]
        refused = [answer for answer in answers if answer.status_code == 429]
        written = [answer.json()["offsets"][0]["offset"] for answer in answers if answer.status_code == 200]
        assert len(refused) + len(written) == len(answers), {answer.text for answer in answers}
        assert len(refused) >= 100
        assert all(int(answer.headers["Retry-After"]) > 0 for answer in refused)
        assert sorted(written) == list(range(1, len(written) + 1))
        print(f"{len(written)} written, {len(refused)} refused, grown by {grown / MIB:.0f} MiB")
        assert grown < GROWTH_BYTES_MAX
        settled(lambda: write().status_code, lambda status: status == 200, PATIENCE_S)
