"""Brokers beside a controller of its own: whose settings count, and who answers what. Apache Kafka says the same."""

from __future__ import annotations

import pytest

from cluster.conftest import ClusterMaker
from conformance.raw import RawConnection
from conformance.waiting import eventually
from support.cluster_processes import Node, ProcessCluster

ONE = dict.fromkeys(
    (
        "default.replication.factor",
        "min.insync.replicas",
        "offsets.topic.replication.factor",
        "transaction.state.log.replication.factor",
        "transaction.state.log.min.isr",
    ),
    "1",
)
NOT_LEADER_OR_FOLLOWER = 6
UNKNOWN_TOPIC_OR_PARTITION = 3


@pytest.fixture(scope="module")
def cluster(make_module_cluster: ClusterMaker) -> ProcessCluster:
    own = {101: {"num.partitions": "5"}, 1: {"num.partitions": "3"}}
    return make_module_cluster(
        brokers=2, properties={**ONE, "auto.create.topics.enable": "true"}, controllers=1, of_node=own
    )


def to(node: Node) -> RawConnection:
    return RawConnection((node.host, node.port))


def partition_count(connection: RawConnection, topic: str) -> int:
    """Asking for a topic makes it, here at once, on Apache Kafka soon after."""
    (told,) = connection.ask("Metadata", 9, topics=[{"name": topic}], allow_auto_topic_creation=True).topics
    return len(told.partitions)


@pytest.mark.parametrize(("node_id", "count"), [(1, 3), (2, 5)])
def test_a_topic_made_by_being_asked_for_has_as_many_partitions_as_that_broker_says(
    cluster: ProcessCluster, node_id: int, count: int
) -> None:
    """Broker 2 says nothing: the controller's setting counts."""
    with to(cluster.nodes[node_id]) as connection:
        assert eventually(lambda: partition_count(connection, f"asked-of-{node_id}") or None) == count


def test_every_replica_tells_of_its_producers(cluster: ProcessCluster) -> None:
    wanted = [
        {"name": "both", "num_partitions": 1, "replication_factor": 2},
        {
            "name": "one",
            "num_partitions": -1,
            "replication_factor": -1,
            "assignments": [{"partition_index": 0, "broker_ids": [1]}],
        },
    ]
    with to(cluster.nodes[1]) as connection:
        made = connection.ask("CreateTopics", 5, topics=wanted, timeout_ms=10_000)
        assert [topic.error_code for topic in made.topics] == [0, 0]

    def codes(node: Node) -> list[int]:
        asked = [
            {"name": "both", "partition_indexes": [0, 9]},
            {"name": "one", "partition_indexes": [0]},
        ]
        with to(node) as connection:
            told = connection.ask("DescribeProducers", 0, topics=asked)
        return [partition.error_code for topic in told.topics for partition in topic.partitions]

    eventually(lambda: codes(cluster.nodes[1]) == [0, UNKNOWN_TOPIC_OR_PARTITION, 0])
    eventually(lambda: codes(cluster.nodes[2]) == [0, UNKNOWN_TOPIC_OR_PARTITION, NOT_LEADER_OR_FOLLOWER])
