"""By which names the usual clients are known to a broker: in its agent log, its referrer log and its metrics."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import aiokafka
import confluent_kafka
import kafka
import pytest

from conformance.waiting import eventually
from riacho import KAFKA_VERSION, __version__
from riacho.base.log_fields import fields
from riacho.client.cluster import Cluster
from riacho.client.settings import client_settings
from support.java import available, java_tool
from support.ports import free_port
from support.prometheus import scrape
from support.riacho_process import RiachoProcess

METRIC = "kafka_server_socket_server_metrics_connections"


class Told:
    """What a broker told of its visitors: on its standard output, where no files are named, and in its metrics."""

    def __init__(self, directory: Path) -> None:
        port = free_port()
        self.metrics = f"http://127.0.0.1:{port}/metrics"
        self.broker = RiachoProcess(directory, {"riacho.metrics.port": str(port)})
        self.bootstrap = self.broker.start()
        self._output = directory / "broker.out"

    def agents(self) -> dict[str, str]:
        """By client id, of those that were seen first under it."""
        return {line["client_id"]: line["agent"] for line in self._lines("referrer first seen")}

    def _lines(self, event: str) -> list[dict[str, str]]:
        lines = self._output.read_text().splitlines()
        return [fields(line.partition(event)[2]) for line in lines if f" INFO {event} " in line]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    told = Told(tmp_path_factory.mktemp("broker"))
    try:
        yield told
    finally:
        told.broker.stop()


def test_confluent_kafka(told: Told) -> None:
    producer = confluent_kafka.Producer({"bootstrap.servers": told.bootstrap, "client.id": "by-confluent"})
    producer.list_topics(timeout=30)
    found = told.agents()["by-confluent"]
    # It tells itself and the library below it.
    name, _, version = found.partition("/")
    assert name == "confluent-kafka-python"
    assert version == f"{confluent_kafka.__version__}-rdkafka-{confluent_kafka.libversion()[0]}"
    labels = {"listener": "PLAINTEXT", "client_software_name": name, "client_software_version": version}
    # It goes over from one connection to another meanwhile.
    assert eventually(lambda: scrape(told.metrics).find(METRIC, labels))


def test_kafka_python(told: Told) -> None:
    admin = kafka.KafkaAdminClient(bootstrap_servers=told.bootstrap, client_id="by-kafka-python")
    try:
        admin.list_topics()
    finally:
        admin.close()
    assert told.agents()["by-kafka-python"] == f"kafka-python/{kafka.__version__}"


def test_aiokafka_does_not_tell(told: Told) -> None:
    """It asks for versions in version 0, which has no room for it."""

    async def ask() -> None:
        producer = aiokafka.AIOKafkaProducer(bootstrap_servers=told.bootstrap, client_id="by-aiokafka")
        await producer.start()
        await producer.stop()

    asyncio.run(ask())
    assert told.agents()["by-aiokafka"] == "-"


def test_our_own_client(told: Told) -> None:
    with Cluster(client_settings(told.bootstrap, {"client.id": "by-riacho"})) as own:
        own.metadata()
    assert f"riacho/{__version__}" in told.agents().values()


def test_java(told: Told) -> None:
    reason = available()
    if reason:
        pytest.skip(f"no Java client here: {reason}")
    java_tool("kafka-topics", ["--bootstrap-server", told.bootstrap, "--list"])
    assert f"apache-kafka-java/{KAFKA_VERSION}" in told.agents().values()
