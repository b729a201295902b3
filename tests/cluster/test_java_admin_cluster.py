"""Apache Kafka's own admin tools, unmodified, drive a cluster: topics, reassignment, elections, the quorum."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from cluster.conftest import ClusterMaker
from conformance.confluent import produce
from support.cluster_processes import ProcessCluster
from support.cluster_raw import read_log
from support.cluster_topics import create_topic
from support.cluster_view import settled
from support.java import available, java_tool

PROPERTIES = {
    "broker.session.timeout.ms": "3000",
    "broker.heartbeat.interval.ms": "500",
    "auto.leader.rebalance.enable": "false",  # the elections here are the tool's
    "offsets.topic.num.partitions": "1",
}
pytestmark = pytest.mark.timeout(240)
Tool = Callable[..., str]


@pytest.fixture(scope="module")
def cluster(make_module_cluster: ClusterMaker) -> ProcessCluster:
    reason = available()
    if reason:
        pytest.skip(f"no Java tools here: {reason}")
    return make_module_cluster(properties=PROPERTIES)


@pytest.fixture
def tool(cluster: ProcessCluster) -> Tool:
    def run(name: str, *arguments: str) -> str:
        done = java_tool(name, ["--bootstrap-server", cluster.bootstrap, *arguments], timeout=90)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def test_topics(tool: Tool) -> None:
    made = ("--create", "--topic", "made", "--partitions", "6", "--replication-factor", "3")
    tool("kafka-topics", *made, "--config", "min.insync.replicas=2")
    described = tool("kafka-topics", "--describe", "--topic", "made")
    assert "ReplicationFactor: 3" in described
    found = re.findall(r"Partition: \d+\s+Leader: (\d+)\s+Replicas: ([\d,]+)\s+Isr: ([\d,]+)", described)
    assert len(found) == 6
    leaders = [leader for leader, _, _ in found]
    assert {leaders.count(node) for node in ("1", "2", "3")} == {2}, "leaders are spread evenly"
    assert all(sorted(isr.split(",")) == ["1", "2", "3"] for _, _, isr in found)
    assert tool("kafka-topics", "--describe", "--under-replicated-partitions").strip() == ""


def test_the_quorum(cluster: ProcessCluster, tool: Tool) -> None:
    status = dict(line.split(":", 1) for line in tool("kafka-metadata-quorum", "describe", "--status").splitlines())
    quorum = cluster.view.quorum()
    assert int(status["LeaderId"]) == quorum.leader
    assert int(status["LeaderEpoch"]) == quorum.leader_epoch
    voters = status["CurrentVoters"]
    assert {int(each) for each in re.findall(r'"id": (\d+)', voters) or re.findall(r"\d+", voters)} == {1, 2, 3}
    rows = tool("kafka-metadata-quorum", "describe", "--replication").splitlines()
    roles = {line.split()[0]: line.split()[-1] for line in rows[1:]}
    assert set(roles) == {"1", "2", "3"}
    assert sorted(roles.values()) == ["Follower", "Follower", "Leader"]


def test_leader_election(cluster: ProcessCluster, tool: Tool) -> None:
    create_topic(cluster, "elected", assignment=[[1, 2, 3]])
    cluster.stop(1)
    settled(lambda: cluster.view.leader_of("elected"), lambda leader: leader in (2, 3), 30)
    cluster.start(1)
    settled(lambda: cluster.view.partition("elected").isr, lambda isr: isr == {1, 2, 3}, 60)
    assert cluster.view.leader_of("elected") != 1
    chosen = ("--election-type", "preferred", "--topic", "elected", "--partition", "0")
    told = tool("kafka-leader-election", *chosen)
    assert "Successfully completed leader election (PREFERRED) for partitions elected-0" in told
    settled(lambda: cluster.view.leader_of("elected"), lambda leader: leader == 1, 30)
    assert "Valid replica already elected for partitions elected-0" in tool("kafka-leader-election", *chosen)


def test_reassignment(cluster: ProcessCluster, tool: Tool, tmp_path: Path) -> None:
    create_topic(cluster, "moved", assignment=[[1, 2], [2, 3]])
    values = [b"%d" % number for number in range(100)]
    produce(cluster.bootstrap, "moved", [{"value": value, "partition": 0} for value in values], {"acks": "all"})
    (tmp_path / "topics.json").write_text(json.dumps({"version": 1, "topics": [{"topic": "moved"}]}))
    proposed = tool(
        "kafka-reassign-partitions",
        *("--generate", "--topics-to-move-json-file", str(tmp_path / "topics.json"), "--broker-list", "1,2,3"),
    )
    assert "Current partition replica assignment" in proposed

    wanted = [
        {"topic": "moved", "partition": 0, "replicas": [3, 1], "log_dirs": ["any", "any"]},
        {"topic": "moved", "partition": 1, "replicas": [1, 2], "log_dirs": ["any", "any"]},
    ]
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"version": 1, "partitions": wanted}))
    chosen = ("--reassignment-json-file", str(plan))
    told = tool("kafka-reassign-partitions", "--execute", *chosen, "--throttle", "10000000")
    assert "Successfully started partition reassignments for moved-0,moved-1" in told

    def verified() -> str:
        return tool("kafka-reassign-partitions", "--verify", *chosen, "--preserve-throttles")

    settled(verified, lambda text: text.count("is completed") == 2, 60)
    assert "moved-0" not in tool("kafka-reassign-partitions", "--list")
    finished = tool("kafka-reassign-partitions", "--verify", *chosen)
    assert "Clearing topic-level throttles on topic moved" in finished
    assert [cluster.view.partition("moved", index).replicas for index in (0, 1)] == [(3, 1), (1, 2)]
    node = cluster.nodes[3]
    assert [value for _, value in read_log((node.host, node.port), "moved", until=100)] == values


def test_features(tool: Tool) -> None:
    described = tool("kafka-features", "describe")
    levels = {line.split()[1]: line for line in described.splitlines() if line.startswith("Feature:")}
    assert "metadata.version" in levels
    assert re.search(r"FinalizedVersionLevel: \S+\s+Epoch: \d+", levels["metadata.version"])


def test_the_replicas_agree(cluster: ProcessCluster, tool: Tool) -> None:
    create_topic(cluster, "compared", 2)
    produce(cluster.bootstrap, "compared", [{"value": b"%d" % number} for number in range(50)], {"acks": "all"})
    described = tool("kafka-log-dirs", "--describe", "--topic-list", "compared")
    found = json.loads(described.splitlines()[-1])
    sizes = [
        (partition["partition"], partition["size"], partition["offsetLag"])
        for broker in found["brokers"]
        for log_dir in broker["logDirs"]
        for partition in log_dir["partitions"]
    ]
    assert len(sizes) == 6
    assert len(set(sizes)) == 2, f"the three copies of a partition have one size and no lag: {sizes}"
