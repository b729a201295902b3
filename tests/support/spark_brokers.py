"""The broker that tests of pipelines use: Riacho in this process, or Apache Kafka: `RIACHO_CONFORMANCE_PEER=only`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from riacho.testing import KafkaCluster

_TIMEOUT_S = 60.0


class ApacheBroker:
    """What tests of pipelines need of a `KafkaCluster`."""

    def __init__(self, bootstrap_servers: str) -> None:
        self.bootstrap_servers = bootstrap_servers

    def create_topic(self, name: str, partitions: int = 1) -> None:
        from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

        admin = AdminClient({"bootstrap.servers": self.bootstrap_servers})
        admin.create_topics([NewTopic(name, num_partitions=partitions, replication_factor=1)])[name].result(_TIMEOUT_S)


@contextmanager
def running_broker(directory: Path) -> Iterator[KafkaCluster]:
    if os.environ.get("RIACHO_CONFORMANCE_PEER") != "only":
        from riacho.testing import KafkaCluster

        with KafkaCluster() as cluster:
            yield cluster
        return
    from support.apache_kafka import ApacheKafka

    settings = {"transaction.state.log.num.partitions": "2", "offsets.topic.num.partitions": "2"}
    with ApacheKafka(directory, settings) as kafka:
        yield cast("KafkaCluster", ApacheBroker(kafka.bootstrap))
