"""Riacho's test kit: a real broker inside your test process, and faults on request.

    def test_my_consumer(kafka_cluster):
        kafka_cluster.create_topic("orders", partitions=3)
        ...connect any Kafka client to kafka_cluster.bootstrap_servers...

See docs/guides/testing.md.
"""

from riacho.base.errors import ErrorCode
from riacho.testing.cluster import Fault, KafkaCluster

__all__ = ["ErrorCode", "Fault", "KafkaCluster"]
