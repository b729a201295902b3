"""The metadata quorum: fail-over, controllers of their own, voters that come and go, a directory that was wiped."""

from __future__ import annotations

import shutil

import pytest

from cluster.conftest import ClusterMaker
from conformance.confluent import produce
from support.cluster_admin import add_voter, remove_voter
from support.cluster_processes import ProcessCluster
from support.cluster_raw import read_log
from support.cluster_topics import create_topic
from support.cluster_view import QuorumView, settled

PROPERTIES = {
    "broker.session.timeout.ms": "3000",
    "broker.heartbeat.interval.ms": "500",
    "offsets.topic.num.partitions": "1",
}
pytestmark = pytest.mark.timeout(240)


def quorum_without(cluster: ProcessCluster, gone: int) -> QuorumView:
    return settled(lambda: cluster.view.quorum(), lambda found: found.leader not in (-1, gone), 60)


def test_the_controller_dies_again_and_again(make_cluster: ClusterMaker) -> None:
    cluster = make_cluster(properties=PROPERTIES)
    epochs, topics = [cluster.view.quorum().leader_epoch], []
    for turn in range(3):
        victim = settled(lambda: cluster.view.controller(), lambda leader: leader > 0)
        cluster.kill(victim)
        now = quorum_without(cluster, victim)
        epochs.append(now.leader_epoch)
        settled(lambda victim=victim: victim not in cluster.view.broker_ids(), timeout_s=30)
        topics.append(f"made-{turn}")
        create_topic(cluster, topics[-1], 2, replication_factor=2)
        cluster.start(victim)
    assert epochs == sorted(set(epochs)), f"epochs go up with every election: {epochs}"
    for node in cluster.brokers:
        seen = settled(lambda node=node: cluster_of(cluster, node.node_id, topics), lambda found: all(found))
        assert len(seen) == 3


def cluster_of(cluster: ProcessCluster, node_id: int, topics: list[str]) -> list[bool]:
    """Whether this very node knows the topics."""
    from support.cluster_view import ClusterView

    node = cluster.nodes[node_id]
    view = ClusterView([(node.host, node.port)])
    return [len(view.partitions(topic)) == 2 for topic in topics]


def test_controllers_of_their_own(make_cluster: ClusterMaker) -> None:
    cluster = make_cluster(properties=PROPERTIES, controllers=3, brokers=2)
    create_topic(cluster, "before", 1, replication_factor=2)
    quorum = cluster.view.quorum()
    assert quorum.voters == (101, 102, 103)
    assert quorum.observers == (1, 2)
    cluster.kill(quorum.leader)
    now = quorum_without(cluster, quorum.leader)
    assert now.leader_epoch > quorum.leader_epoch
    create_topic(cluster, "one-controller-down", 1, replication_factor=2)
    produce(cluster.bootstrap, "before", [{"value": b"x"}], {"acks": "all"})

    # With two of three gone nothing can be decided, and data goes on as before.
    cluster.kill(now.leader)
    produce(cluster.bootstrap, "before", [{"value": b"y"}], {"acks": "all"})
    cluster.spawn(quorum.leader)
    settled(lambda: cluster.view.quorum(), lambda found: found.leader > 0, 60)
    create_topic(cluster, "quorum-back", 1, replication_factor=2)


def test_voters_come_and_go(make_cluster: ClusterMaker) -> None:
    """KIP-853: the first controller starts alone; others are observers until they are added."""
    cluster = make_cluster(properties=PROPERTIES, controllers=3, brokers=1, quorum="dynamic")
    only = settled(lambda: cluster.view.quorum(), lambda found: set(found.observers) == {1, 102, 103}, 60)
    assert (only.leader, only.voters) == (101, (101,))
    for node_id in (102, 103):
        settled(lambda n=node_id: add_voter(cluster, cluster.nodes[n]) is None, timeout_s=60)
        settled(lambda: cluster.view.quorum().voters, lambda found, n=node_id: n in found, 60)
    assert cluster.view.quorum().voters == (101, 102, 103)
    create_topic(cluster, "three-voters", 1, replication_factor=1)

    cluster.kill(101)
    assert quorum_without(cluster, 101).leader in (102, 103)
    remove_voter(cluster, cluster.nodes[101])
    settled(lambda: cluster.view.quorum().voters, lambda found: found == (102, 103), 60)
    create_topic(cluster, "two-voters", 1, replication_factor=1)


def test_a_wiped_broker_comes_back(make_cluster: ClusterMaker) -> None:
    """All of one node's files are gone, its share of the quorum included: it fetches everything again."""
    cluster = make_cluster(properties=PROPERTIES)
    create_topic(cluster, "kept", assignment=[[1, 2, 3]])
    values = [b"%d" % number for number in range(200)]
    produce(cluster.bootstrap, "kept", [{"value": value} for value in values], {"acks": "all"})
    cluster.kill(2)
    settled(lambda: cluster.view.partition("kept").isr, lambda isr: isr == {1, 3}, 60)
    shutil.rmtree(cluster.nodes[2].log_dir)
    cluster.start(2)
    settled(lambda: cluster.view.partition("kept").isr, lambda isr: isr == {1, 2, 3}, 60)
    node = cluster.nodes[2]
    found = [value for _, value in read_log((node.host, node.port), "kept", until=len(values))]
    assert found == values
