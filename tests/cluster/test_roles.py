"""Controllers and brokers in processes of their own: who waits for whom, who is let in, who is told to go.

A node that cannot be of the cluster says so in one sentence and ends; one whose turn has not come yet waits.
"""

from __future__ import annotations

import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from conformance.confluent import produce
from support.broker_command import assert_told_in_one_sentence, environment
from support.cluster_processes import Node
from support.cluster_raw import end_offset
from support.cluster_topics import create_topic
from support.cluster_view import ClusterView, settled
from support.ports import free_port
from support.riacho_cluster import RiachoCluster

PROPERTIES = {
    "broker.session.timeout.ms": "6000",
    "broker.heartbeat.interval.ms": "500",
    "offsets.topic.num.partitions": "1",
    "min.insync.replicas": "1",
}
EXIT_TIMEOUT_S = 60.0
pytestmark = pytest.mark.timeout(240)


@contextmanager
def cluster_of(directory: Path, **options: int) -> Iterator[RiachoCluster]:
    """Not started: the order is what the tests are about."""
    cluster = RiachoCluster(directory, properties=PROPERTIES, **options)
    try:
        yield cluster
    finally:
        print(cluster.output_tails())
        cluster.close()


def run_node(cluster: RiachoCluster, node: Node, **properties: str) -> subprocess.CompletedProcess[str]:
    """A node that is to end by itself, with other properties than its own; its log goes to a file."""
    node.directory.mkdir(parents=True, exist_ok=True)
    own = cluster.server_properties(node) | {name.replace("_", "."): value for name, value in properties.items()}
    node.properties_file.write_text("".join(f"{name}={value}\n" for name, value in own.items() if value))
    command = [*cluster.command(node), "--error-log", str(node.directory / "error.log")]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=EXIT_TIMEOUT_S, env=environment(), check=False
    )


def view_of(node: Node) -> ClusterView:
    return ClusterView([(node.host, node.port)])


def metrics(port: int) -> dict[str, float]:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as answer:
        assert answer.status == 200
        lines = answer.read().decode().splitlines()
    plain = (line.split() for line in lines if not line.startswith("#") and "{" not in line)
    return {name: float(value) for name, value in plain}


def test_brokers_wait_for_the_controllers_and_outlive_the_active_one(tmp_path: Path) -> None:
    with cluster_of(tmp_path, controllers=3, brokers=3) as cluster:
        ports = {node_id: free_port() for node_id in (1, *(node.node_id for node in cluster.voters))}
        for node_id, port in ports.items():
            cluster.of_node[node_id] = {"riacho.metrics.port": str(port)}
        for broker in cluster.brokers:
            cluster.spawn(broker.node_id)
        settled(lambda: "waits to be registered" in cluster.nodes[1].output_tail(), timeout_s=60)
        assert all(broker.is_running for broker in cluster.brokers)

        for voter in cluster.voters:
            cluster.spawn(voter.node_id)
        cluster.wait_for_brokers({1, 2, 3})
        create_topic(cluster, "orders", assignment=[[1, 2, 3], [2, 3, 1], [3, 1, 2]])
        before = cluster.view.quorum()
        assert before.voters == (101, 102, 103)

        # What a controller alone and a broker alone tell Prometheus.
        seen = {node_id: metrics(port) for node_id, port in ports.items()}
        assert [node for node, each in seen.items() if each["riacho_active_controller"]] == [before.leader]
        assert {each["riacho_quorum_leader_id"] for each in seen.values()} == {before.leader}
        assert "riacho_partitions" not in seen[before.leader]
        assert seen[before.leader]["riacho_offline_partitions"] == 0
        assert seen[before.leader]["riacho_registered_brokers"] == 3
        assert seen[1]["riacho_leader_partitions"] == 1
        assert "riacho_offline_partitions" not in seen[1]

        produce(cluster.bootstrap, "orders", [{"value": b"before", "partition": p} for p in range(3)], {"acks": "all"})
        cluster.kill(before.leader)
        # Data needs no controller.
        produce(cluster.bootstrap, "orders", [{"value": b"after", "partition": p} for p in range(3)], {"acks": "all"})
        for index, broker in enumerate(cluster.brokers):
            assert end_offset((broker.host, broker.port), "orders", index) == 2
        now = settled(lambda: cluster.view.quorum(), lambda found: found.leader not in (-1, before.leader), 60)
        assert now.leader_epoch > before.leader_epoch
        create_topic(cluster, "later", 1)
        assert cluster.view.broker_ids() == {1, 2, 3}
        assert {state.isr for state in cluster.view.partitions("orders").values()} == {frozenset({1, 2, 3})}

        # In good order, controllers after brokers; the last broker has nobody to hand its partitions to.
        for node_id in (1, 2, 3, *(voter.node_id for voter in cluster.voters if voter.is_running)):
            assert cluster.stop(node_id) == 0, cluster.nodes[node_id].output_tail()
            assert "Traceback" not in cluster.nodes[node_id].output_tail()


def test_strangers_are_told_in_one_sentence(tmp_path: Path) -> None:
    """One controller, one broker, and nodes that do not belong to them."""
    with cluster_of(tmp_path, controllers=1, brokers=3) as cluster:
        cluster.spawn(101)
        cluster.spawn(1)
        cluster.wait_for_brokers({1})
        stranger = cluster.nodes[2]

        done = run_node(cluster, stranger, cluster_id="")
        assert_told_in_one_sentence(done, "cluster.id", "kafka-storage format")
        done = run_node(cluster, stranger, cluster_id="AAAAAAAAAAAAAAAAAAAAAQ")
        assert_told_in_one_sentence(done, "another cluster", "cluster.id")

        # What was formatted for another cluster stays of it, whatever the configuration says.
        done = run_node(cluster, stranger)
        assert_told_in_one_sentence(done, "another cluster")
        # Another node's directory.
        done = run_node(cluster, cluster.nodes[3], log_dirs=str(stranger.log_dir))
        assert_told_in_one_sentence(done, str(stranger.log_dir))
        # A controller that the voters do not name, and voters that nobody can read.
        done = run_node(cluster, cluster.nodes[3], process_roles="broker,controller")
        assert done.returncode == 1
        done = run_node(cluster, cluster.nodes[3], controller_quorum_voters="101@nowhere")
        assert_told_in_one_sentence(done, "controller.quorum.voters")
        assert view_of(cluster.nodes[1]).broker_ids() == {1}


def test_a_controller_of_another_cluster_harms_nobody(tmp_path: Path) -> None:
    """One of three voters was formatted for something else: it ends, and the other two are a quorum."""
    with cluster_of(tmp_path, controllers=3, brokers=1) as cluster:
        cluster.of_node[103] = {"cluster.id": "AAAAAAAAAAAAAAAAAAAAAQ"}
        for node_id in (103, 101, 102, 1):
            cluster.spawn(node_id)
        process = cluster.nodes[103].process
        assert process is not None
        assert process.wait(EXIT_TIMEOUT_S) == 1
        assert "another cluster" in cluster.nodes[103].output_tail()
        assert "Traceback" not in cluster.nodes[103].output_tail()
        cluster.wait_for_brokers({1})
        create_topic(cluster, "orders", 1, replication_factor=1)
        assert cluster.nodes[101].is_running
        assert cluster.nodes[102].is_running


def test_a_second_broker_of_the_same_id_waits_until_the_first_is_gone(tmp_path: Path) -> None:
    with cluster_of(tmp_path, controllers=1, brokers=2) as cluster:
        for node_id in (101, 1):
            cluster.spawn(node_id)
        cluster.wait_for_brokers({1})
        first, second = cluster.nodes[1], cluster.nodes[2]
        create_topic(cluster, "orders", 1, replication_factor=1)
        # The same directory is locked.
        done = run_node(cluster, second, node_id="1", log_dirs=str(first.log_dir))
        assert_told_in_one_sentence(done, str(first.log_dir))

        cluster.of_node[2] = {"node.id": "1"}
        cluster.spawn(2)
        settled(lambda: "DUPLICATE_BROKER_REGISTRATION" in second.output_tail(), timeout_s=60)
        produce(first.bootstrap, "orders", [{"value": b"x"}], {"acks": "all"})
        assert view_of(first).broker_ids() == {1}
        assert "broker started" not in second.output_tail()
        cluster.kill(1)
        settled(lambda: view_of(second).broker_ids() == {1}, timeout_s=60)
        assert second.is_running


def test_a_node_that_waits_for_a_quorum_ends_when_it_is_told_to(tmp_path: Path) -> None:
    """SIGTERM before there is anybody: exit code 0, at once, for every role."""
    with cluster_of(tmp_path, controllers=3, brokers=1) as cluster:
        cluster.spawn(1)
        cluster.spawn(101)
        settled(lambda: "waits to be registered" in cluster.nodes[1].output_tail(), timeout_s=60)
        settled(lambda: "controller started" in cluster.nodes[101].output_tail(), timeout_s=60)
        for node_id in (1, 101):
            assert cluster.stop(node_id, timeout_s=15) == 0
            assert "Traceback" not in cluster.nodes[node_id].output_tail()
