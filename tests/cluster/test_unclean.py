"""An unclean election: never by itself; when it is allowed the tail is lost, and all replicas are alike afterwards."""

from __future__ import annotations

import pytest
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
)

from cluster.conftest import ClusterMaker
from conformance.raw import RawConnection
from riacho.base.errors import ErrorCode
from riacho.wire.messages.elect_leaders_request import ElectLeadersRequest, TopicPartitions
from support.cluster_processes import ProcessCluster
from support.cluster_raw import Produced, produce, read_log
from support.cluster_topics import create_topic
from support.cluster_view import settled

TOPIC = "unclean"
UNCLEAN = 1  # ElectLeaders' election type
PROPERTIES = {
    "broker.session.timeout.ms": "2000",
    "broker.heartbeat.interval.ms": "300",
    "replica.lag.time.max.ms": "3000",
    "min.insync.replicas": "1",
    "unclean.leader.election.interval.ms": "1000",  # how often the controller looks for partitions to elect so
}
pytestmark = pytest.mark.timeout(180)


def write(cluster: ProcessCluster, node_id: int, value: bytes) -> Produced:
    node = cluster.nodes[node_id]
    with RawConnection((node.host, node.port)) as connection:
        return produce(connection, TOPIC, value)


def wait_for_isr(cluster: ProcessCluster, *wanted: int) -> None:
    settled(lambda: cluster.view.partition(TOPIC), lambda state: state.isr == set(wanted), 60)


@pytest.fixture
def behind(make_cluster: ClusterMaker) -> ProcessCluster:
    """Replicas on 1 and 2; 2 is up and has one record, 1 is dead and had three, of which all were acknowledged."""
    cluster = make_cluster(properties=PROPERTIES)
    create_topic(cluster, TOPIC, assignment=[[1, 2]], config={"min.insync.replicas": "1"})
    assert write(cluster, 1, b"both") == (0, 0)
    cluster.kill(2)
    wait_for_isr(cluster, 1)
    assert [write(cluster, 1, value) for value in (b"only 1", b"only 1 too")] == [(0, 1), (0, 2)]
    cluster.kill(1)
    cluster.spawn(2)
    cluster.wait_for_brokers({2, 3})
    settled(lambda: cluster.view.broker_ids(), lambda ids: ids == {2, 3}, 60)
    return cluster


def test_out_of_sync_is_not_elected(behind: ProcessCluster) -> None:
    settled(lambda: behind.view.partition(TOPIC), lambda state: state.leader == -1)
    assert write(behind, 2, b"nobody leads").error_code != 0
    behind.start(1)
    settled(lambda: behind.view.partition(TOPIC), lambda state: state.leader == 1 and state.isr == {1, 2}, 60)
    for node_id in (1, 2):
        node = behind.nodes[node_id]
        found = [value for _, value in read_log((node.host, node.port), TOPIC, until=3)]
        assert found == [b"both", b"only 1", b"only 1 too"]


def allow_by_config(cluster: ProcessCluster) -> None:
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap})
    entry = ConfigEntry("unclean.leader.election.enable", "true", incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource(ConfigResource.Type.TOPIC, TOPIC, incremental_configs=[entry])
    admin.incremental_alter_configs([resource])[resource].result(20)


def elect_by_request(cluster: ProcessCluster) -> None:
    wanted = [TopicPartitions(topic=TOPIC, partitions=[0])]
    request = ElectLeadersRequest(election_type=UNCLEAN, topic_partitions=wanted, timeout_ms=10_000)
    answer = settled(lambda: cluster.view.ask(request), lambda answer: answer.error_code == 0)
    [result] = answer.replica_election_results[0].partition_result
    assert result.error_code in (0, ErrorCode.ELECTION_NOT_NEEDED), result


@pytest.mark.parametrize("elect", [allow_by_config, elect_by_request], ids=["config", "request"])
def test_when_allowed_it_leads_and_the_tail_is_gone(behind: ProcessCluster, elect: object) -> None:
    assert callable(elect)
    settled(lambda: behind.view.partition(TOPIC), lambda state: state.leader == -1)
    elect(behind)
    settled(lambda: behind.view.partition(TOPIC), lambda state: state.leader == 2, 60)
    assert settled(lambda: write(behind, 2, b"new"), lambda answer: answer.error_code == 0) == (0, 1)
    behind.start(1)
    wait_for_isr(behind, 1, 2)
    for node_id in (1, 2):
        node = behind.nodes[node_id]
        assert [value for _, value in read_log((node.host, node.port), TOPIC, until=2)] == [b"both", b"new"]
