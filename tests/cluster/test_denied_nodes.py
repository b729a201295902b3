"""Nodes that a controller's authorizer does not know: they wait in vain, and say whose authorizer it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.riacho_cluster import RiachoCluster

AUTHORIZER = {"authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer"}
IMPATIENT = {"initial.broker.registration.timeout.ms": "1500"}


@pytest.mark.parametrize(
    ("is_apart", "code"), [(True, "CLUSTER_AUTHORIZATION_FAILED"), (False, "UNKNOWN_SERVER_ERROR")]
)
def test_whose_authorizer_denies_it_is_told(tmp_path: Path, is_apart: bool, code: str) -> None:
    """A broker that the controller denies; or two controllers that deny each other, before they have any metadata."""
    if is_apart:
        cluster = RiachoCluster(tmp_path, 1, IMPATIENT, controllers=1, of_node={101: AUTHORIZER})
    else:
        cluster = RiachoCluster(tmp_path, 2, IMPATIENT | AUTHORIZER)
    try:
        for node_id in cluster.nodes:
            cluster.spawn(node_id)
        process = cluster.nodes[1].process
        assert process is not None
        assert process.wait(30) == 1
        told = cluster.nodes[1].output_file.read_text()
        other = next(node for node in cluster.voters if node.node_id != 1)
        last = told.rstrip().splitlines()[-1]
        assert f"{other.controller_host}:{other.controller_port} says {code}" in last
        assert "authorizer.class.name" in last
        assert "super.users" in last
        assert "Traceback" not in told
    finally:
        cluster.close()
