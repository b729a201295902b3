"""What each kind of node tells Prometheus of the cluster; a controller alone has no partitions to tell of."""

from __future__ import annotations

import asyncio

from riacho.broker.metrics.cluster_metrics import quorum_gauges, replication_gauges
from riacho.broker.metrics.exposition import Exposition
from support.metrics_node import BROKER, CONTROLLER, broker_parts, exposition, quorum


def values(shown: Exposition) -> dict[str, float]:
    lines = asyncio.run(shown.render()).splitlines()
    return {line.split()[0]: float(line.split()[1]) for line in lines if not line.startswith("#")}


def test_every_node_tells_of_the_quorum() -> None:
    gauges = {name: value for name, value, _ in quorum_gauges(quorum(CONTROLLER))}
    assert gauges == {
        "riacho_active_controller": 0,
        "riacho_quorum_leader_id": 5,
        "riacho_quorum_epoch": 9,
        "riacho_metadata_offset": 77,
        "riacho_registered_brokers": 3,
        "riacho_fenced_brokers": 1,
    }


def test_the_active_controller_tells_of_partitions_without_a_leader() -> None:
    gauges = {name: value for name, value, _ in quorum_gauges(quorum(CONTROLLER, is_active=True))}
    assert gauges["riacho_active_controller"] == 1
    assert gauges["riacho_offline_partitions"] == 2


def test_a_broker_counts_what_it_leads() -> None:
    broker = broker_parts(quorum(BROKER))
    gauges = {name: value for name, value, _ in replication_gauges(broker.replicas, broker.replica_fetchers)}
    assert gauges == {
        "riacho_under_replicated_partitions": 2,
        "riacho_under_min_isr_partitions": 1,
        "riacho_followed_partitions": 1,
        "riacho_replica_max_lag": 8,
        "riacho_replicated_bytes_in": 99,
    }


def test_a_controller_alone_is_shown_without_what_it_has_not() -> None:
    """It has no replicas, no fetchers, no groups: touching them would fail."""
    found = values(exposition(quorum(CONTROLLER, is_active=True)))
    assert found["riacho_connections"] == 4
    assert found["riacho_uptime_seconds"] == 2.5
    assert found["riacho_offline_partitions"] == 2
    assert "riacho_partitions" not in found


def test_a_broker_and_a_combined_node_are_shown_whole() -> None:
    for properties, is_active in ((BROKER, False), ({}, True)):
        around = quorum(properties, is_active=is_active)
        found = values(exposition(around, broker_parts(around)))
        assert found["riacho_partitions"] == 4
        assert found["riacho_offline_log_dirs"] == 1
        assert found["riacho_under_min_isr_partitions"] == 1
        assert found["riacho_groups"] == 2
        assert ("riacho_offline_partitions" in found) == is_active


def test_every_gauge_is_said_once_and_explained() -> None:
    around = quorum({}, is_active=True)
    lines = asyncio.run(exposition(around, broker_parts(around)).render()).splitlines()
    helps = [line.split()[2] for line in lines if line.startswith("# HELP")]
    assert len(helps) == len(set(helps))
    samples = {line.split()[0].partition("{")[0] for line in lines if not line.startswith("#")}
    assert samples <= {name for name in helps} | {f"{name}{end}" for name in helps for end in ("_sum", "_count")}
