"""Admin requests to a cluster under test, as plain calls: reassignments, throttles, voters, brokers taken away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from riacho.base.errors import ErrorCode, KafkaError
from riacho.base.ids import uuid_from_text
from riacho.wire.messages import alter_partition_reassignments_request as alter
from riacho.wire.messages.add_raft_voter_request import AddRaftVoterRequest, Listener
from riacho.wire.messages.incremental_alter_configs_request import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from riacho.wire.messages.list_partition_reassignments_request import ListPartitionReassignmentsRequest
from riacho.wire.messages.remove_raft_voter_request import RemoveRaftVoterRequest
from riacho.wire.messages.unregister_broker_request import UnregisterBrokerRequest
from support.cluster_processes import Node, ProcessCluster
from support.cluster_view import ClusterView, settled

TOPIC, BROKER = 2, 4
SET, DELETE = 0, 1


def check(error_code: int, detail: str | None = None) -> None:
    if error_code:
        raise KafkaError(ErrorCode(error_code), detail or "")


def reassign(cluster: ProcessCluster, topic: str, wanted: Mapping[int, Sequence[int] | None]) -> None:
    """New replicas of each partition; None cancels what is under way."""
    partitions = [
        alter.ReassignablePartition(partition_index=index, replicas=None if replicas is None else list(replicas))
        for index, replicas in wanted.items()
    ]
    request = alter.AlterPartitionReassignmentsRequest(
        topics=[alter.ReassignableTopic(name=topic, partitions=partitions)], timeout_ms=20_000
    )
    answer = cluster.view.ask(request)
    check(answer.error_code, answer.error_message)
    for each in answer.responses:
        for partition in each.partitions:
            check(partition.error_code, partition.error_message)


def ongoing_reassignments(cluster: ProcessCluster) -> dict[tuple[str, int], Any]:
    answer = cluster.view.ask(ListPartitionReassignmentsRequest(topics=None))
    check(answer.error_code, answer.error_message)
    return {(topic.name, each.partition_index): each for topic in answer.topics for each in topic.partitions}


def wait_until_moved(cluster: ProcessCluster, topic: str, wanted: Mapping[int, Sequence[int]]) -> None:
    settled(lambda: ongoing_reassignments(cluster), lambda ongoing: not ongoing, 90)
    settled(
        lambda: cluster.view.partitions(topic),
        lambda found: all(
            found[index].replicas == tuple(replicas) and found[index].isr == set(replicas)
            for index, replicas in wanted.items()
        ),
        60,
    )


def set_configs(cluster: ProcessCluster, kind: int, name: str, values: Mapping[str, str | None]) -> None:
    """None removes a value."""
    configs = [
        AlterableConfig(name=key, config_operation=DELETE if value is None else SET, value=value)
        for key, value in values.items()
    ]
    resources = [AlterConfigsResource(resource_type=kind, resource_name=name, configs=configs)]
    # A broker's own settings are taken by that broker only.
    node = cluster.nodes[int(name)] if kind == BROKER else None
    view = ClusterView([(node.host, node.port)]) if node is not None else cluster.view
    for result in view.ask(IncrementalAlterConfigsRequest(resources=resources)).responses:
        check(result.error_code, result.error_message)


def throttle(cluster: ProcessCluster, topic: str, bytes_per_s: int | None) -> None:
    """Replication of the topic at this rate per broker, on both ends; None takes the limit away."""
    rate = None if bytes_per_s is None else str(bytes_per_s)
    replicas = None if bytes_per_s is None else "*"
    for node in cluster.brokers:
        if node.is_running:
            name = str(node.node_id)
            values = {"leader.replication.throttled.rate": rate, "follower.replication.throttled.rate": rate}
            set_configs(cluster, BROKER, name, values)
    names = ("leader.replication.throttled.replicas", "follower.replication.throttled.replicas")
    set_configs(cluster, TOPIC, topic, dict.fromkeys(names, replicas))


def unregister_broker(cluster: ProcessCluster, broker_id: int) -> None:
    answer = cluster.view.ask(UnregisterBrokerRequest(broker_id=broker_id))
    check(answer.error_code, answer.error_message)


def directory_id(node: Node) -> bytes:
    """From the node's own meta.properties."""
    lines = (node.log_dir / "meta.properties").read_text().splitlines()
    values = dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))
    return uuid_from_text(values["directory.id"])


def add_voter(cluster: ProcessCluster, node: Node) -> None:
    request = AddRaftVoterRequest(
        cluster_id=None,
        timeout_ms=20_000,
        voter_id=node.node_id,
        voter_directory_id=directory_id(node),
        listeners=[Listener(name="CONTROLLER", host=node.controller_host, port=node.controller_port)],
    )
    answer = cluster.view.ask(request)
    check(answer.error_code, answer.error_message)


def remove_voter(cluster: ProcessCluster, node: Node) -> None:
    request = RemoveRaftVoterRequest(cluster_id=None, voter_id=node.node_id, voter_directory_id=directory_id(node))
    answer = cluster.view.ask(request)
    check(answer.error_code, answer.error_message)
