"""Reassignments that are under way: towards a broker that is down, so that they stay so."""

from __future__ import annotations

from riacho.client.cluster import Cluster
from riacho.client.reassignments import alter_reassignments
from riacho.client.settings import client_settings
from riacho.rest_proxy.v3 import clusters, partitions, reassignments
from riacho.testing import KafkaCluster
from support.rest_proxy_world import ProxyWorld


def test_reassignments_under_way() -> None:
    with KafkaCluster(brokers=3) as cluster:
        cluster.create_topic("moving", partitions=2, replication_factor=1)
        cluster.create_topic("resting", replication_factor=1)
        leader = cluster.leader("moving", 1)
        assert leader is not None
        down = next(node for node in cluster.node_ids if node not in (leader, cluster.controller))
        cluster.kill(down)
        with Cluster(client_settings(cluster.address_of(leader), {})) as own:
            assert alter_reassignments(own, {("moving", 1): [down, leader]}) == {}
        proxy = ProxyWorld(cluster.address_of(leader), modules=(clusters, partitions, reassignments))
        try:
            base = f"/v3/clusters/{proxy.thread.run(proxy.admin.cluster_id())}"
            path = f"{base}/topics/moving/partitions/1"
            one = proxy.get(f"{path}/reassignment").json()
            assert one == {
                "kind": "KafkaReassignment",
                "metadata": {
                    "self": f"http://proxy:8082{path}/reassignment",
                    "resource_name": f"crn:///kafka={base[13:]}/topic=moving/partition=1/reassignment",
                },
                "cluster_id": base[13:],
                "topic_name": "moving",
                "partition_id": 1,
                "adding_replicas": [down],
                "removing_replicas": [],
                "replicas": {"related": f"http://proxy:8082{path}/replicas"},
            }
            assert proxy.get(f"{base}/topics/moving/partitions/-/reassignment").json()["data"] == [one]
            assert proxy.get(f"{base}/topics/-/partitions/-/reassignment").json()["data"] == [one]
            assert proxy.get(f"{base}/topics/resting/partitions/-/reassignment").json()["data"] == []
            for still in ("moving/partitions/0", "resting/partitions/0"):
                assert proxy.get(f"{base}/topics/{still}/reassignment").status_code == 404
        finally:
            proxy.stop()
