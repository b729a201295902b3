"""Quotas in a cluster with a controller of its own: every broker knows them, the controller counts what it decides."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.conftest import ClusterMaker
from conformance.raw import RawConnection
from conformance.waiting import eventually
from riacho.base.errors import ErrorCode
from support.cluster_processes import Node

pytestmark = pytest.mark.timeout(180)


def connected(node: Node, client_id: str) -> RawConnection:
    return RawConnection((node.host, node.port), client_id=client_id)


def quotas(node: Node) -> list[tuple[str, float]]:
    component = {"entity_type": "client-id", "match_type": 0, "match": "creator"}
    with connected(node, "reader") as connection:
        answer = connection.ask("DescribeClientQuotas", 1, components=[component], strict=True)
    return [(value.key, value.value) for entry in answer.entries for value in entry.values]


def create(node: Node, name: str, partitions: int) -> Any:
    asked = {"name": name, "num_partitions": partitions, "replication_factor": 1}
    with connected(node, "creator") as connection:
        return connection.ask("CreateTopics", 7, topics=[asked], timeout_ms=10_000)


def test_the_controller_counts_what_any_broker_forwards(make_cluster: ClusterMaker) -> None:
    cluster = make_cluster(brokers=2, controllers=1)
    first, second = cluster.brokers
    entity = [{"entity_type": "client-id", "entity_name": "creator"}]
    ops = [{"key": "controller_mutation_rate", "value": 1.0, "remove": False}]
    with connected(first, "admin") as admin:
        answer = admin.ask("AlterClientQuotas", 1, entries=[{"entity": entity, "ops": ops}], validate_only=False)
    assert [each.error_code for each in answer.entries] == [0]
    for node in (first, second):
        eventually(lambda node=node: quotas(node) == [("controller_mutation_rate", 1.0)])  # type: ignore[misc]
    answer = create(first, "many", 15)
    assert (answer.topics[0].error_code, answer.throttle_time_ms) == (0, 0)
    answer = create(second, "one-more", 1)
    assert answer.topics[0].error_code == ErrorCode.THROTTLING_QUOTA_EXCEEDED
    assert 1_000 < answer.throttle_time_ms <= 4_000
    cluster.stop(first.node_id)
    cluster.start(first.node_id)
    assert quotas(first) == [("controller_mutation_rate", 1.0)]
