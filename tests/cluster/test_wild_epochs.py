"""One frame with an impossible epoch, sent to the controllers' port by one who is no voter: nothing comes of it."""

from __future__ import annotations

import json

import pytest

from cluster.conftest import ClusterMaker
from conformance.raw import RawConnection
from support.cluster_processes import ProcessCluster
from support.cluster_topics import create_topic

INT32_MAX = (1 << 31) - 1
METADATA = "__cluster_metadata"
pytestmark = pytest.mark.timeout(120)


def send(cluster: ProcessCluster, name: str, version: int, **fields: object) -> None:
    for node in cluster.voters:
        with RawConnection((node.controller_host, node.controller_port)) as connection:
            connection.ask(name, version, **fields)


def epochs(cluster: ProcessCluster) -> list[int]:
    files = [node.log_dir / f"{METADATA}-0" / "quorum-state" for node in cluster.voters]
    return [int(json.loads(file.read_text())["leaderEpoch"]) for file in files]


def test_votes_and_leaders_of_an_impossible_epoch_change_nothing(make_cluster: ClusterMaker) -> None:
    cluster = make_cluster()
    if cluster.kind == "apache":
        pytest.skip("the bounds are ours")
    create_topic(cluster, "before", 1)
    known = epochs(cluster)
    cluster_id = cluster.cluster_id  # type: ignore[attr-defined]
    for told_id in (cluster_id, None):
        for replica_id in (1, 66):
            partition = {"replica_epoch": INT32_MAX, "replica_id": replica_id, "last_offset": 1 << 40}
            vote = [{"topic_name": METADATA, "partitions": [partition]}]
            send(cluster, "Vote", 2, cluster_id=told_id, voter_id=-1, topics=vote)
            leader = {"leader_id": replica_id, "leader_epoch": INT32_MAX}
            begin = [{"topic_name": METADATA, "partitions": [leader]}]
            send(cluster, "BeginQuorumEpoch", 1, cluster_id=told_id, voter_id=-1, topics=begin)
            send(cluster, "EndQuorumEpoch", 1, cluster_id=told_id, topics=begin)
    assert epochs(cluster) == known
    create_topic(cluster, "after", 1)
    assert epochs(cluster) == known
