"""An upgrade by rolling restart: each node comes back with new settings while clients work, then features are raised.

The nodes start from what an older configuration says and are restarted one by one with a newer one, under the fault
workload and its checker: nothing acknowledged may be lost, doubled or reordered. The cluster's feature levels, which
only ever move by UpdateFeatures (KIP-584), are the same before and after the restarts, on every node.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster.conftest import ClusterMaker
from riacho.client.connection import Connection
from riacho.wire.messages.update_features_request import FeatureUpdateKey, UpdateFeaturesRequest
from support.cluster_admin import BROKER, check
from support.cluster_faults import Arena
from support.cluster_processes import Node, ProcessCluster
from support.cluster_view import settled

OLDER = {
    "broker.session.timeout.ms": "3000",
    "broker.heartbeat.interval.ms": "500",
    "num.network.threads": "3",
    "log.retention.hours": "168",
}
NEWER = {"log.retention.hours": "24", "num.network.threads": "4"}
FEATURE = "metadata.version"
UPGRADE = 1
pytestmark = pytest.mark.timeout(300)


def levels(node: Node) -> dict[str, int]:
    """The finalized features, as this very node tells them."""
    connection = Connection(node.host, node.port)
    try:
        return {each.name: each.max_version_level for each in connection.api_versions.finalized_features}
    finally:
        connection.close()


def retention_hours(cluster: ProcessCluster, node: Node) -> str | None:
    from riacho.wire.messages.describe_configs_request import DescribeConfigsRequest, DescribeConfigsResource

    asked = DescribeConfigsResource(
        resource_type=BROKER, resource_name=str(node.node_id), configuration_keys=["log.retention.hours"]
    )
    connection = Connection(node.host, node.port)
    try:
        answer = connection.send(DescribeConfigsRequest(resources=[asked]))
    finally:
        connection.close()
    check(answer.results[0].error_code, answer.results[0].error_message)
    value: str | None = answer.results[0].configs[0].value
    return value


def test_node_by_node(make_cluster: ClusterMaker, tmp_path: Path) -> None:
    cluster = make_cluster(properties=OLDER)
    before = levels(cluster.nodes[1])
    assert FEATURE in before
    arena = Arena(cluster, "upgraded", tmp_path)

    def upgrade(arena: Arena) -> None:
        cluster.properties = cluster.properties | NEWER
        for node_id in sorted(cluster.nodes):
            assert retention_hours(cluster, cluster.nodes[node_id]) == "168"
            cluster.stop(node_id)
            arena.progress()
            cluster.start(node_id)
            arena.whole()
            assert retention_hours(cluster, cluster.nodes[node_id]) == "24"

    arena.run(upgrade, seconds=0)
    for node in cluster.brokers:
        assert settled(lambda node=node: levels(node), lambda found: found == before) == before

    # Raising a feature to where it is already is no change and no error, through whichever broker it is asked.
    update = FeatureUpdateKey(feature=FEATURE, max_version_level=before[FEATURE], upgrade_type=UPGRADE)
    answer = cluster.view.ask(UpdateFeaturesRequest(timeout_ms=10_000, feature_updates=[update]))
    check(answer.error_code, answer.error_message)
    beyond = FeatureUpdateKey(feature=FEATURE, max_version_level=before[FEATURE] + 1_000, upgrade_type=UPGRADE)
    answer = cluster.view.ask(UpdateFeaturesRequest(timeout_ms=10_000, feature_updates=[beyond]))
    codes = [answer.error_code, *(result.error_code for result in answer.results)]
    assert any(codes), "no broker knows that level"
