"""Riacho's test kit: real brokers inside your test process, and faults on request.

    def test_my_consumer(kafka_cluster):
        kafka_cluster.create_topic("orders", partitions=3)
        ...connect any Kafka client to kafka_cluster.bootstrap_servers...

See docs/guides/testing.md.
"""

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError

if TYPE_CHECKING:
    from riacho.testing.cluster import KafkaCluster
    from riacho.testing.faults import Fault
    from riacho.testing.records import Record
else:
    # pytest loads this package in every run, for the plugin in it; only those who use a broker should load one.
    # A type checker does not see this function, which would let any name pass.
    def __getattr__(name):
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from riacho.testing import cluster, records

        return getattr(records if name == "Record" else cluster, name)


__all__ = ["ErrorCode", "Fault", "KafkaCluster", "KafkaError", "Record"]
