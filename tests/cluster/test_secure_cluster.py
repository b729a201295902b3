"""Three brokers that trust nobody: brokers and controllers speak SASL over TLS with each other, clients too."""

from __future__ import annotations

import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient, NewTopic

from support.certificates import Authority
from support.cluster_processes import Node
from support.ports import free_port
from support.riacho_cluster import RiachoCluster

_PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"
_SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule"
_NODES = f'{_PLAIN} required username="node" password="node-secret" user_node="node-secret";'
_CLIENTS = f'{_PLAIN} required user_alice="alice-secret";'
_INTERNAL = f'{_SCRAM} required username="node" password="scram-secret";'


class SecureCluster(RiachoCluster):
    """A plain listener is left for the test's own view of the cluster; nodes do not use it."""

    def __init__(self, directory: Path, mechanism: str = "PLAIN", **options: Any) -> None:
        self.authority = Authority(directory / "keys")
        self.identities = {node_id: self.authority.issue("node", file_name=f"node-{node_id}") for node_id in (1, 2, 3)}
        self.internal = {node_id: free_port() for node_id in (1, 2, 3)}
        self.metrics = {node_id: free_port() for node_id in (1, 2, 3)}
        self.external = {node_id: free_port() for node_id in (1, 2, 3)}
        self.mechanism = mechanism
        super().__init__(directory, 3, **options)

    def server_properties(self, node: Node) -> dict[str, str]:
        own = super().server_properties(node)
        more = f"INTERNAL://127.0.0.1:{self.internal[node.node_id]},EXTERNAL://127.0.0.1:{self.external[node.node_id]}"
        for name in ("listeners", "advertised.listeners"):
            own[name] = f"{own[name]},{more}"
        scram = self.mechanism.lower()
        return own | {
            "listener.security.protocol.map": ",".join(
                ["PLAINTEXT:PLAINTEXT", "INTERNAL:SASL_SSL", "EXTERNAL:SASL_SSL", "CONTROLLER:SASL_SSL"]
            ),
            "inter.broker.listener.name": "INTERNAL",
            "sasl.enabled.mechanisms": "PLAIN",
            "listener.name.internal.sasl.enabled.mechanisms": self.mechanism,
            "sasl.mechanism.inter.broker.protocol": self.mechanism,
            "sasl.mechanism.controller.protocol": "PLAIN",
            f"listener.name.internal.{scram}.sasl.jaas.config": _NODES if self.mechanism == "PLAIN" else _INTERNAL,
            "listener.name.controller.plain.sasl.jaas.config": _NODES,
            "listener.name.external.plain.sasl.jaas.config": _CLIENTS,
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": str(self.identities[node.node_id].pem),
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": str(self.authority.pem),
            "listener.name.controller.ssl.client.auth": "required",
            "riacho.tls.check.interval.ms": "200",
            "connections.max.reauth.ms": "2000",
            "riacho.metrics.port": str(self.metrics[node.node_id]),
        }

    def counts(self, node_id: int) -> dict[str, float]:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.metrics[node_id]}/metrics", timeout=10) as answer:
            lines = [line.split() for line in answer.read().decode().splitlines() if not line.startswith("#")]
        return {words[0]: float(words[1]) for words in lines}

    def client(self) -> dict[str, Any]:
        return {
            "bootstrap.servers": ",".join(f"127.0.0.1:{port}" for port in self.external.values()),
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": "PLAIN",
            "sasl.username": "alice",
            "sasl.password": "alice-secret",
            "ssl.ca.location": str(self.authority.pem),
        }


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[SecureCluster]:
    with SecureCluster(tmp_path) as running:
        yield running


def create_topic(config: dict[str, Any], name: str) -> None:
    admin = AdminClient(config)
    admin.create_topics([NewTopic(name, 3, 3)])[name].result(30)


def send(config: dict[str, Any], topic: str, first: int, count: int) -> None:
    producer = Producer(config | {"acks": "all", "enable.idempotence": True})
    problems: list[Any] = []
    for number in range(first, first + count):
        producer.produce(topic, b"%d" % number, on_delivery=lambda error, _: error and problems.append(error))
        producer.poll(0)
    assert producer.flush(60) == 0
    assert problems == []


def read(config: dict[str, Any], topic: str, count: int, group: str) -> list[int]:
    consumer = Consumer(config | {"group.id": group, "auto.offset.reset": "earliest"})
    found: list[int] = []
    try:
        consumer.subscribe([topic])
        deadline = time.monotonic() + 60
        while len(found) < count and time.monotonic() < deadline:
            found += [int(message.value()) for message in consumer.consume(500, 0.5) if message.error() is None]
    finally:
        consumer.close()
    return sorted(found)


def test_it_serves_and_survives_the_loss_of_any_leader(cluster: SecureCluster) -> None:
    config = cluster.client()
    create_topic(config, "orders")
    send(config, "orders", 0, 500)
    cluster.kill(1)
    send(config, "orders", 500, 500)
    cluster.start(1)
    cluster.kill(2)
    send(config, "orders", 1000, 500)
    assert read(config, "orders", 1500, "readers") == list(range(1500))


def test_certificates_are_renewed_and_logins_too_under_load(cluster: SecureCluster) -> None:
    """Sessions last two seconds here, so nodes and clients log in again several times meanwhile."""
    config = cluster.client()
    create_topic(config, "orders")
    producer = Producer(config | {"acks": "all", "linger.ms": 5})
    problems: list[Any] = []
    sent = 0
    started = time.monotonic()
    renewed = False
    while time.monotonic() - started < 9:
        producer.produce("orders", b"%d" % sent, on_delivery=lambda error, _: error and problems.append(error))
        sent += 1
        producer.poll(0.002)
        if not renewed and time.monotonic() - started > 3:
            renewed = True
            for node_id in (1, 2, 3):
                cluster.identities[node_id] = cluster.authority.issue("node", file_name=f"node-{node_id}")
                assert cluster.identities[node_id].pem.exists()
    assert producer.flush(60) == 0
    assert problems == []
    output = cluster.output_tails(400_000)
    assert output.count("TLS context renewed listener=EXTERNAL") == 3
    assert output.count("TLS context renewed listener=CONTROLLER") == 3
    assert "authentication failed" not in output
    for node_id in (1, 2, 3):
        counts = cluster.counts(node_id)
        assert counts["riacho_reauthentications_total"] > 5
        assert counts["riacho_expired_connections_total"] == 0
        assert counts["riacho_failed_authentications_total"] == 0
    assert read(config, "orders", sent, "readers") == list(range(sent))


def test_scram_among_brokers_from_the_first_start(tmp_path: Path) -> None:
    """The credential that nodes log in with is put there by kafka-storage, before anything runs (KIP-900)."""

    class Formatted(SecureCluster):
        def prepare(self, node: Node) -> None:
            if (node.log_dir / "meta.properties").exists():
                return
            program = "from riacho.cli.kafka.storage import main; main()"
            credential = "SCRAM-SHA-512=[name=node,password=scram-secret]"
            argv = [sys.executable, "-c", program, "format", "-t", self.cluster_id, "-c", str(node.properties_file)]
            done = subprocess.run(
                [*argv, "--add-scram", credential],
                capture_output=True,
                text=True,
                env=self.environment(),
                timeout=60,
                check=False,
            )
            assert done.returncode == 0, done.stdout + done.stderr
            assert "scram-secret" not in done.stdout

    with Formatted(tmp_path, "SCRAM-SHA-512") as cluster:
        config = cluster.client()
        create_topic(config, "orders")
        send(config, "orders", 0, 100)
        assert read(config, "orders", 100, "readers") == list(range(100))


def test_a_stranger_joins_neither_brokers_nor_controllers(cluster: SecureCluster, tmp_path: Path) -> None:
    """A node with keys of another authority is refused at the first handshake, and the cluster goes on."""
    stranger = Authority(tmp_path / "other").issue("node")
    cluster.stop(3)
    cluster.identities[3] = stranger
    cluster.spawn(3)
    deadline = time.monotonic() + 30
    while "mechanism=TLS" not in cluster.nodes[1].output_tail(100_000) + cluster.nodes[2].output_tail(100_000):
        assert time.monotonic() < deadline, cluster.output_tails()
        time.sleep(0.1)
    assert cluster.view.broker_ids_or_none() == {1, 2}
