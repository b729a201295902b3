"""Three brokers and a console beside them, for what one platform cannot show: replicas that move, brokers that die, a
console that starts again at its address."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from riacho.client.cluster import Cluster
from riacho.client.reassignments import alter_reassignments
from riacho.client.settings import client_settings
from riacho.testing import KafkaCluster
from support.schema_registry_process import until
from support.service_process import ServiceProcess, running_service

WAIT_S = 60.0
# A broker that dies is missed soon.
_BROKER = {"broker.session.timeout.ms": 2000, "broker.heartbeat.interval.ms": 300}
_CONSOLE = {"cluster.name": "Three", "riacho.console.refresh.ms": "500"}


class BrowserCluster:
    def __init__(self, brokers: KafkaCluster, console: ServiceProcess) -> None:
        self.brokers = brokers
        self.console = console
        self.url = console.url

    def produce(self, topic: str, count: int) -> None:
        producer = Producer({"bootstrap.servers": self.brokers.bootstrap_servers})
        for number in range(count):
            producer.produce(topic, b"x" * 1000, f"k{number}")
        assert producer.flush(WAIT_S) == 0

    def commit(self, group: str, topic: str, offset: int) -> None:
        """As a group whose members have gone."""
        consumer = Consumer({"bootstrap.servers": self.brokers.bootstrap_servers, "group.id": group})
        try:
            consumer.commit(offsets=[TopicPartition(topic, 0, offset)], asynchronous=False)
        finally:
            consumer.close()

    def replicas(self, topic: str, partition: int = 0) -> list[int]:
        """As a Kafka client is told; the first one is the preferred leader."""
        admin = AdminClient({"bootstrap.servers": self.brokers.bootstrap_servers})
        found: list[int] = admin.list_topics(topic, timeout=WAIT_S).topics[topic].partitions[partition].replicas
        return found

    def move(self, topic: str, partition: int, replicas: list[int]) -> None:
        """As a tool of Kafka's would, which asks nobody whether a broker is there."""
        with Cluster(client_settings(self.brokers.bootstrap_servers, {})) as cluster:
            assert alter_reassignments(cluster, {(topic, partition): replicas}) == {}

    def wait_for(self, path: str, text: str) -> None:
        """Until the console tells so."""
        until(lambda: text in httpx.get(f"{self.url}/api/v1/clusters/default/{path}", timeout=WAIT_S).text)


@contextmanager
def running_cluster(home: Path) -> Iterator[BrowserCluster]:
    with (
        KafkaCluster(_BROKER, brokers=3) as brokers,
        running_service("control-center", brokers.bootstrap_servers, home, _CONSOLE) as console,
    ):
        yield BrowserCluster(brokers, console)
