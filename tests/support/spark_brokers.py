"""The brokers that tests of pipelines use: Riacho's, or Apache Kafka's with `RIACHO_CONFORMANCE_PEER=only`.

Where Apache Kafka is asked for and cannot be had, a test that needs brokers is skipped with the reason.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

if TYPE_CHECKING:
    from riacho.testing import KafkaCluster
    from support.cluster_processes import ProcessCluster

_TIMEOUT_S = 60.0
_SMALL_TOPICS = {"transaction.state.log.num.partitions": "2", "offsets.topic.num.partitions": "2"}


def is_on_apache() -> bool:
    if os.environ.get("RIACHO_CONFORMANCE_PEER") != "only":
        return False
    from support.apache_kafka import available

    reason = available()
    if reason is not None:
        pytest.skip(f"no Apache Kafka to run on: {reason}")
    return True


class ApacheBroker:
    """What tests of pipelines need of a `KafkaCluster`."""

    def __init__(self, bootstrap_servers: str) -> None:
        self.bootstrap_servers = bootstrap_servers

    def create_topic(self, name: str, partitions: int = 1, configs: Mapping[str, str] | None = None) -> None:
        from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

        admin = AdminClient({"bootstrap.servers": self.bootstrap_servers})
        new = NewTopic(name, num_partitions=partitions, replication_factor=1, config=dict(configs or {}))
        admin.create_topics([new])[name].result(_TIMEOUT_S)


@contextmanager
def running_broker(directory: Path) -> Iterator[KafkaCluster]:
    """One broker; Riacho's is in this process."""
    if not is_on_apache():
        from riacho.testing import KafkaCluster

        with KafkaCluster() as cluster:
            yield cluster
        return
    from support.apache_cluster import SMALL_JVM_FLAGS
    from support.apache_kafka import ApacheKafka

    with ApacheKafka(directory, _SMALL_TOPICS, jvm_flags=SMALL_JVM_FLAGS) as kafka:
        yield cast("KafkaCluster", ApacheBroker(kafka.bootstrap))


def three_brokers(directory: Path, properties: Mapping[str, str] | None = None) -> ProcessCluster:
    """Processes that can be killed; a context manager starts and ends them."""
    if is_on_apache():
        from support.apache_cluster import ApacheCluster

        return ApacheCluster(directory, properties=properties)
    from support.riacho_cluster import RiachoCluster

    return RiachoCluster(directory, properties=properties)
