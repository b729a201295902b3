"""Riacho's test kit: real brokers inside your test process, and faults on request.

    def test_my_consumer(kafka_cluster):
        kafka_cluster.create_topic("orders", partitions=3)
        ...connect any Kafka client to kafka_cluster.bootstrap_servers...

See docs/guides/testing.md.
"""

from typing import TYPE_CHECKING, Any

from riacho.base.errors import ErrorCode

if TYPE_CHECKING:
    from riacho.testing.cluster import Fault, KafkaCluster

__all__ = ["ErrorCode", "Fault", "KafkaCluster"]


def __getattr__(name: str) -> Any:
    # pytest loads this package in every run, for the plugin in it; only those who use a broker should load one.
    if name in ("Fault", "KafkaCluster"):
        from riacho.testing import cluster

        return getattr(cluster, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
