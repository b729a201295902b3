"""Three brokers, replication factor 3, min ISR 2, under faults: nothing acknowledged is lost, doubled or reordered.

Each fault strikes turn after turn for `RIACHO_FAULT_SECONDS` (seconds here, minutes when asked for), at moments and
victims drawn from `RIACHO_FAULT_SEED`. The network is cut by namespaces where that is allowed, and by a proxy.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from cluster.conftest import ClusterMaker
from support import cluster_faults as faults
from support.cluster_faults import SECONDS, Arena
from support.cluster_processes import ProcessCluster
from support.frame_proxy import ProxyNetwork
from support.namespaces import NamespaceNetwork, why_not

# Shorter than the defaults, so that many turns fit into a test: silent brokers are given up after three seconds.
PROPERTIES = {
    "broker.session.timeout.ms": "3000",
    "broker.heartbeat.interval.ms": "500",
    "replica.lag.time.max.ms": "4000",
}
pytestmark = pytest.mark.timeout(300 + 3 * SECONDS)
Fault = Callable[[Arena], None]


@pytest.fixture(scope="module")
def cluster(make_module_cluster: ClusterMaker) -> ProcessCluster:
    return make_module_cluster.only(properties=PROPERTIES)


def topic_name(request: pytest.FixtureRequest) -> str:
    return re.sub(r"[^a-z0-9_-]+", "-", request.node.name.lower())


@pytest.mark.parametrize(
    "fault",
    [
        faults.kill_leader,
        faults.kill_controller,
        faults.kill_follower,
        faults.kill_all,
        faults.pause_leader,
        faults.rolling_restart,
    ],
    ids=lambda fault: fault.__name__,
)
def test_processes(cluster: ProcessCluster, fault: Fault, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    Arena(cluster, topic_name(request), tmp_path).run(fault)


@pytest.fixture(scope="module")
def cut_cluster(make_module_cluster: ClusterMaker) -> tuple[ProcessCluster, NamespaceNetwork]:
    reason = why_not()
    if reason is not None:
        pytest.skip(f"the proxy's tests stand in: {reason}")
    network = NamespaceNetwork()
    return make_module_cluster.only(properties=PROPERTIES, wiring=network), network


@pytest.mark.parametrize(
    "fault",
    [
        faults.cut_off_leader,
        faults.cut_off_controller,
        faults.cut_leader_from_brokers,
        faults.deafen_leader,
        faults.mute_controller,
    ],
    ids=lambda fault: fault.__name__,
)
def test_network(
    cut_cluster: tuple[ProcessCluster, NamespaceNetwork], fault: Fault, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    running, network = cut_cluster
    Arena(running, topic_name(request), tmp_path, network).run(fault)


@pytest.fixture(scope="module")
def proxied_cluster(make_module_cluster: ClusterMaker) -> tuple[ProcessCluster, ProxyNetwork]:
    network = ProxyNetwork()
    return make_module_cluster.only(properties=PROPERTIES, wiring=network), network


@pytest.mark.parametrize(
    "fault", [faults.cut_leader_from_brokers, faults.mute_controller], ids=lambda fault: fault.__name__
)
def test_network_by_proxy(
    proxied_cluster: tuple[ProcessCluster, ProxyNetwork], fault: Fault, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    running, network = proxied_cluster
    Arena(running, topic_name(request), tmp_path, network).run(fault)
