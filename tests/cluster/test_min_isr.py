"""Below `min.insync.replicas` a leader refuses acks=all and stays readable; once enough are back it takes writes."""

from __future__ import annotations

import pytest

from cluster.conftest import ClusterMaker
from conformance.raw import RawConnection
from riacho.base.errors import ErrorCode
from support.cluster_processes import Node, ProcessCluster
from support.cluster_raw import Produced, fetch, produce, read_log
from support.cluster_topics import create_topic
from support.cluster_view import settled

TOPIC = "min-isr"
PROPERTIES = {
    "broker.session.timeout.ms": "2000",
    "broker.heartbeat.interval.ms": "300",
    "replica.lag.time.max.ms": "3000",
}
pytestmark = pytest.mark.timeout(180)


def write(node: Node, value: bytes, **options: int) -> Produced:
    with RawConnection((node.host, node.port)) as connection:
        return produce(connection, TOPIC, value, **options)


def values(node: Node, until: int = 0) -> list[bytes]:
    return [value for _, value in read_log((node.host, node.port), TOPIC, until=until)]


def wait_for_isr(cluster: ProcessCluster, *wanted: int) -> None:
    settled(lambda: cluster.view.partition(TOPIC), lambda state: state.isr == set(wanted), 60)


def test_two_brokers_down(make_cluster: ClusterMaker) -> None:
    """With a controller of its own, the quorum outlives the brokers and the ISR shrinks as it should."""
    cluster = make_cluster(properties=PROPERTIES, controllers=1)
    create_topic(cluster, TOPIC, assignment=[[1, 2, 3]], config={"min.insync.replicas": "2"})
    leader = cluster.nodes[1]
    assert write(leader, b"three") == (0, 0)
    cluster.kill(3)
    wait_for_isr(cluster, 1, 2)
    assert write(leader, b"two") == (0, 1)
    cluster.kill(2)
    wait_for_isr(cluster, 1)

    assert write(leader, b"one").error_code == ErrorCode.NOT_ENOUGH_REPLICAS
    assert values(leader, until=2) == [b"three", b"two"]
    with RawConnection((leader.host, leader.port)) as connection:
        assert fetch(connection, TOPIC, 0, 2) == (0, 2, [])

    cluster.start(2)
    wait_for_isr(cluster, 1, 2)
    assert write(leader, b"two again") == (0, 2)
    cluster.start(3)
    wait_for_isr(cluster, 1, 2, 3)
    for node in cluster.brokers:
        assert values(node, until=3) == [b"three", b"two", b"two again"]


def test_two_of_three_combined_nodes_down(make_cluster: ClusterMaker) -> None:
    """No quorum, so nobody may shrink the ISR: writes get no acknowledgement, reads go on, and nothing is lost."""
    cluster = make_cluster(properties=PROPERTIES)
    create_topic(cluster, TOPIC, assignment=[[1, 2, 3]], config={"min.insync.replicas": "2"})
    leader = cluster.nodes[1]
    assert write(leader, b"acknowledged") == (0, 0)
    settled(lambda: values(leader), lambda found: found == [b"acknowledged"])
    cluster.kill(2)
    cluster.kill(3)
    refused = write(leader, b"in doubt", timeout_ms=1_500).error_code
    assert refused in (
        ErrorCode.REQUEST_TIMED_OUT,
        ErrorCode.NOT_ENOUGH_REPLICAS,
        ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
    )
    assert values(leader, until=1) == [b"acknowledged"]
    cluster.start(2)
    cluster.start(3)
    wait_for_isr(cluster, 1, 2, 3)
    led_by = settled(lambda: cluster.view.leader_of(TOPIC), lambda found: found > 0)
    _, offset = settled(lambda: write(cluster.nodes[led_by], b"after"), lambda answer: answer.error_code == 0)
    found = [values(node, until=offset + 1) for node in cluster.brokers]
    assert found[0] == found[1] == found[2]
    assert found[0] in ([b"acknowledged", b"after"], [b"acknowledged", b"in doubt", b"after"])
