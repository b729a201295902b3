"""Topics on a cluster under test: made through librdkafka's admin client, there when every partition is led."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

from support.cluster_processes import ProcessCluster
from support.cluster_view import settled

TIMEOUT_S = 30.0


def create_topic(
    cluster: ProcessCluster,
    name: str,
    partitions: int = 1,
    config: Mapping[str, str] | None = None,
    *,
    replication_factor: int = 3,
    assignment: Sequence[Sequence[int]] | None = None,
) -> None:
    """`assignment` gives each partition its replicas, the preferred leader first, in place of the broker's choice."""
    if assignment is None:
        new = NewTopic(name, partitions, replication_factor, config=dict(config or {}))
    else:
        partitions = len(assignment)
        placed = [list(replicas) for replicas in assignment]
        new = NewTopic(name, partitions, replica_assignment=placed, config=dict(config or {}))
    client = AdminClient({"bootstrap.servers": cluster.bootstrap})  # must outlive the call
    client.create_topics([new], operation_timeout=TIMEOUT_S)[name].result(TIMEOUT_S)
    wait_until_led(cluster, name, partitions)


def wait_until_led(cluster: ProcessCluster, name: str, partitions: int, timeout_s: float = TIMEOUT_S) -> None:
    settled(
        lambda: cluster.view.partitions(name),
        lambda found: len(found) == partitions and all(state.leader > 0 for state in found.values()),
        timeout_s,
    )
