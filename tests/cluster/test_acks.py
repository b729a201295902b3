"""What acks=1 can lose and acks=all cannot: the leader dies with writes that no follower has fetched.

The followers are stopped (SIGSTOP) before the write, so that it surely is on the leader alone, and are still in sync as
far as anyone knows; after the leader's death one of them is elected, cleanly. A stopped follower may have a fetch
waiting at the leader, whose answer lies in its socket when it wakes up: a first record, `last call`, uses those up, and
may or may not survive.
"""

from __future__ import annotations

import pytest

from cluster.conftest import ClusterMaker
from conformance.raw import RawConnection
from riacho.base.errors import ErrorCode
from support.cluster_processes import ProcessCluster
from support.cluster_raw import produce, read_log
from support.cluster_topics import create_topic
from support.cluster_view import settled

TOPIC = "acks"
PROPERTIES = {"broker.session.timeout.ms": "3000", "broker.heartbeat.interval.ms": "500"}
pytestmark = pytest.mark.timeout(180)


@pytest.fixture
def cluster(make_cluster: ClusterMaker) -> ProcessCluster:
    cluster = make_cluster(properties=PROPERTIES)
    create_topic(cluster, TOPIC, assignment=[[1, 2, 3]], config={"min.insync.replicas": "2"})
    settled(lambda: cluster.view.partition(TOPIC), lambda state: state.leader == 1 and len(state.isr) == 3)
    return cluster


def write(cluster: ProcessCluster, node_id: int, value: bytes, **options: int) -> tuple[int, int]:
    node = cluster.nodes[node_id]
    with RawConnection((node.host, node.port)) as connection:
        return produce(connection, TOPIC, value, **options)


def lose_the_leader(cluster: ProcessCluster) -> int:
    """Node 1 dies, 2 and 3 go on; who leads then."""
    cluster.kill(1)
    for node_id in (2, 3):
        cluster.resume(node_id)
    return settled(lambda: cluster.view.leader_of(TOPIC), lambda leader: leader in (2, 3), 60)


def logs(cluster: ProcessCluster, until: int) -> list[list[bytes]]:
    """What each node has."""
    return [[value for _, value in read_log((node.host, node.port), TOPIC, until=until)] for node in cluster.brokers]


def back_in_sync(cluster: ProcessCluster) -> None:
    cluster.start(1)
    settled(lambda: cluster.view.partition(TOPIC), lambda state: len(state.isr) == 3, 60)


def stop_followers(cluster: ProcessCluster) -> None:
    for node_id in (2, 3):
        cluster.pause(node_id)
    assert write(cluster, 1, b"last call", acks=1) == (0, 1)


def check_that_only_the_leader_had_it(cluster: ProcessCluster) -> None:
    """After the leader's death the offset that it had given away belongs to another record, on every node."""
    leader = lose_the_leader(cluster)
    _, offset = settled(lambda: write(cluster, leader, b"after"), lambda answer: answer[0] == 0)
    back_in_sync(cluster)
    found = logs(cluster, until=offset + 1)
    assert found[0] in ([b"everywhere", b"after"], [b"everywhere", b"last call", b"after"])
    assert found == [found[0]] * 3


def test_acks_1_loses_what_only_the_leader_had(cluster: ProcessCluster) -> None:
    assert write(cluster, 1, b"everywhere") == (0, 0)
    stop_followers(cluster)
    assert write(cluster, 1, b"acknowledged and lost", acks=1) == (0, 2)
    check_that_only_the_leader_had_it(cluster)


def test_acks_all_is_not_acknowledged_there(cluster: ProcessCluster) -> None:
    assert write(cluster, 1, b"everywhere") == (0, 0)
    stop_followers(cluster)
    refused, _ = write(cluster, 1, b"not acknowledged", timeout_ms=1_500)
    assert refused in (ErrorCode.REQUEST_TIMED_OUT, ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND)
    check_that_only_the_leader_had_it(cluster)


def test_acks_all_survives_the_leader(cluster: ProcessCluster) -> None:
    written = [b"%d" % number for number in range(50)]
    node = cluster.nodes[1]
    with RawConnection((node.host, node.port)) as connection:
        assert [produce(connection, TOPIC, value) for value in written] == [(0, at) for at in range(50)]
    assert lose_the_leader_unpaused(cluster) in (2, 3)
    back_in_sync(cluster)
    assert logs(cluster, until=50) == [written] * 3


def lose_the_leader_unpaused(cluster: ProcessCluster) -> int:
    cluster.kill(1)
    return settled(lambda: cluster.view.leader_of(TOPIC), lambda leader: leader in (2, 3), 60)
