"""Brokers beside a controller of its own: whose settings count, and who answers what. Apache Kafka says the same."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.conftest import ClusterMaker
from conformance.raw import RawConnection
from conformance.waiting import eventually
from support.cluster_processes import Node, ProcessCluster

ONE = dict.fromkeys(
    (
        "default.replication.factor",
        "min.insync.replicas",
        "offsets.topic.replication.factor",
        "transaction.state.log.replication.factor",
        "transaction.state.log.min.isr",
    ),
    "1",
)
NOT_LEADER_OR_FOLLOWER = 6
UNKNOWN_TOPIC_OR_PARTITION = 3
NOT_COORDINATOR = 16
INCONSISTENT_GROUP_PROTOCOL = 23
DELEGATION_TOKEN_REQUEST_NOT_ALLOWED = 64
RESOURCE_NOT_FOUND = 91
INVALID_CONFIG = 40
INVALID_REQUEST = 42
BROKER_LOGGER = 8
DYNAMIC_BROKER_LOGGER = 6
SET, DELETE, APPEND = range(3)
DESCRIBE_DELEGATION_TOKEN = 41
DESCRIBE_USER_SCRAM_CREDENTIALS = 50


@pytest.fixture(scope="module")
def cluster(make_module_cluster: ClusterMaker) -> ProcessCluster:
    own = {101: {"num.partitions": "5"}, 1: {"num.partitions": "3"}}
    return make_module_cluster(
        brokers=2, properties={**ONE, "auto.create.topics.enable": "true"}, controllers=1, of_node=own
    )


def to(node: Node) -> RawConnection:
    return RawConnection((node.host, node.port))


def create(node: Node, *topics: dict[str, Any]) -> None:
    with to(node) as connection:
        made = connection.ask("CreateTopics", 5, topics=topics, timeout_ms=10_000)
    assert not any(topic.error_code for topic in made.topics), made


def partition_count(connection: RawConnection, topic: str) -> int:
    """Asking for a topic makes it, here at once, on Apache Kafka soon after."""
    (response,) = connection.ask("Metadata", 9, topics=[{"name": topic}], allow_auto_topic_creation=True).topics
    return len(response.partitions)


def test_before_anybody_asked_for_a_coordinator_nobody_is_one(cluster: ProcessCluster) -> None:
    """The first test: the topics that coordinators need are not there yet."""
    group = {"group_id": "g"}
    transaction = {"transactional_id": "t", "producer_id": 1, "producer_epoch": 0}
    asked = {
        ("OffsetFetch", 7): {**group, "topics": None},
        ("OffsetDelete", 0): {**group, "topics": []},
        ("Heartbeat", 4): {**group, "generation_id": 1, "member_id": "m"},
        ("JoinGroup", 5): {**group, "member_id": "m", "session_timeout_ms": 10_000, "protocol_type": "consumer"},
        ("InitProducerId", 4): {"transactional_id": "t", "transaction_timeout_ms": 1_000},
        ("AddOffsetsToTxn", 3): {**transaction, "group_id": "g"},
        ("EndTxn", 3): {**transaction, "committed": True},
    }
    with to(cluster.nodes[1]) as connection:
        codes = {api: connection.ask(api, version, **values).error_code for (api, version), values in asked.items()}
    assert codes == dict.fromkeys((api for api, _ in asked), NOT_COORDINATOR)


def coordinator(cluster: ProcessCluster, group_id: str) -> RawConnection:
    def found() -> RawConnection | None:
        with to(cluster.nodes[1]) as connection:
            response = connection.ask("FindCoordinator", 3, key=group_id, key_type=0)
        return None if response.error_code else RawConnection((response.host, response.port))

    return eventually(found)


def test_offsets_of_partitions_that_are_not_there_are_not_deleted(cluster: ProcessCluster) -> None:
    create(cluster.nodes[1], {"name": "kept", "num_partitions": 1, "replication_factor": 1})
    with coordinator(cluster, "committing") as connection:
        committed = [{"name": "kept", "partitions": [{"partition_index": 0, "committed_offset": 7}]}]
        values = {"group_id": "committing", "topics": committed}
        eventually(
            lambda: connection.ask("OffsetCommit", 8, **values).topics[0].partitions[0].error_code == 0
        )  # once the topic is known to this broker
        asked = [
            {"name": "kept", "partitions": [{"partition_index": 0}, {"partition_index": 9}]},
            {"name": "none", "partitions": [{"partition_index": 0}]},
        ]
        response = connection.ask("OffsetDelete", 0, group_id="committing", topics=asked)
    codes = {(t.name, p.partition_index): p.error_code for t in response.topics for p in t.partitions}
    assert [topic.name for topic in response.topics] == ["kept", "none"]
    assert codes == {("kept", 0): 0, ("kept", 9): UNKNOWN_TOPIC_OR_PARTITION, ("none", 0): UNKNOWN_TOPIC_OR_PARTITION}


def test_who_cannot_join_is_given_no_member_id_nor_a_protocol(cluster: ProcessCluster) -> None:
    join = {"session_timeout_ms": 10_000, "rebalance_timeout_ms": 10_000, "protocol_type": "consumer", "protocols": []}
    with coordinator(cluster, "of-consumers") as connection:
        beat = {"group_id": "of-consumers", "member_id": "A" * 22, "member_epoch": 0, "rebalance_timeout_ms": 10_000}
        beat |= {"subscribed_topic_names": ["kept"], "topic_partitions": []}
        eventually(lambda: connection.ask("ConsumerGroupHeartbeat", 1, **beat).error_code == 0)
        refused = [
            connection.ask("JoinGroup", version, group_id="of-consumers", member_id="mine", **join)
            for version in (5, 9)
        ]
    refusals = [(answer.error_code, answer.member_id, answer.protocol_name) for answer in refused]
    assert refusals == [(INCONSISTENT_GROUP_PROTOCOL, "", ""), (INCONSISTENT_GROUP_PROTOCOL, "", None)]


def test_the_protocol_must_be_named_when_syncing(cluster: ProcessCluster) -> None:
    with coordinator(cluster, "of-nobody") as connection:
        response = connection.ask("SyncGroup", 5, group_id="of-nobody", generation_id=1, member_id="mine")
    assert response.error_code == INCONSISTENT_GROUP_PROTOCOL


@pytest.mark.parametrize(("node_id", "count"), [(1, 3), (2, 5)])
def test_a_topic_made_by_being_asked_for_has_as_many_partitions_as_that_broker_says(
    cluster: ProcessCluster, node_id: int, count: int
) -> None:
    """Broker 2 says nothing: the controller's setting counts."""
    with to(cluster.nodes[node_id]) as connection:
        assert eventually(lambda: partition_count(connection, f"asked-of-{node_id}") or None) == count


def test_every_replica_tells_of_its_producers(cluster: ProcessCluster) -> None:
    wanted = [
        {"name": "both", "num_partitions": 1, "replication_factor": 2},
        {
            "name": "one",
            "num_partitions": -1,
            "replication_factor": -1,
            "assignments": [{"partition_index": 0, "broker_ids": [1]}],
        },
    ]
    create(cluster.nodes[1], *wanted)

    def codes(node: Node) -> list[int]:
        asked = [
            {"name": "both", "partition_indexes": [0, 9]},
            {"name": "one", "partition_indexes": [0]},
        ]
        with to(node) as connection:
            response = connection.ask("DescribeProducers", 0, topics=asked)
        return [partition.error_code for topic in response.topics for partition in topic.partitions]

    eventually(lambda: codes(cluster.nodes[1]) == [0, UNKNOWN_TOPIC_OR_PARTITION, 0])
    eventually(lambda: codes(cluster.nodes[2]) == [0, UNKNOWN_TOPIC_OR_PARTITION, NOT_LEADER_OR_FOLLOWER])


def test_a_controller_tells_of_credentials_and_tokens(cluster: ProcessCluster) -> None:
    node = cluster.nodes[101]
    with RawConnection((node.controller_host, node.controller_port)) as connection:
        served = {api.api_key for api in connection.ask("ApiVersions", 0).api_keys}
        assert {DESCRIBE_DELEGATION_TOKEN, DESCRIBE_USER_SCRAM_CREDENTIALS} <= served
        if cluster.kind == "apache":
            pytest.skip("it advertises them, and fails to answer")
        (response,) = connection.ask("DescribeUserScramCredentials", 0, users=[{"name": "nobody"}]).results
        assert (response.user, response.error_code) == ("nobody", RESOURCE_NOT_FOUND)
        response = connection.ask("DescribeDelegationToken", 3, owners=None)
        assert response.error_code == DELEGATION_TOKEN_REQUEST_NOT_ALLOWED, "not on a plaintext listener"


def test_log_levels_are_the_asked_brokers_own(cluster: ProcessCluster) -> None:
    def levels(node: Node) -> dict[str, str]:
        asked = {"resource_type": BROKER_LOGGER, "resource_name": str(node.node_id), "configuration_keys": None}
        with to(node) as connection:
            (response,) = connection.ask("DescribeConfigs", 4, resources=[asked]).results
        assert {config.config_source for config in response.configs} == {DYNAMIC_BROKER_LOGGER}
        return {config.name: config.value for config in response.configs}

    def change(node: Node, resource: str, logger: str, operation: int, value: str | None) -> int:
        config = {"name": logger, "config_operation": operation, "value": value}
        asked = {"resource_type": BROKER_LOGGER, "resource_name": resource, "configs": [config]}
        with to(node) as connection:
            (response,) = connection.ask("IncrementalAlterConfigs", 1, resources=[asked]).responses
        return int(response.error_code)

    one, two = cluster.nodes[1], cluster.nodes[2]
    own = "riacho.access" if cluster.kind == "riacho" else "state.change.logger"
    before = levels(two)
    assert before["root"] == before[own] == "INFO"
    assert change(one, "1", own, SET, "DEBUG") == 0
    assert change(one, "1", "root", SET, "WARN") == 0
    assert (levels(one)["root"], levels(one)[own]) == ("WARN", "DEBUG")
    assert levels(two) == before
    assert change(one, "1", own, DELETE, None) == 0
    assert levels(one)[own] == "WARN"
    assert change(one, "1", "root", SET, "INFO") == 0
    refused = [
        change(one, "2", "root", SET, "INFO"),
        change(one, "1", "nothing.of.the.kind", SET, "INFO"),
        change(one, "1", "root", SET, "LOUD"),
        change(one, "1", "root", DELETE, None),
        change(one, "1", "root", APPEND, "INFO"),
    ]
    assert refused == [INVALID_REQUEST, INVALID_CONFIG, INVALID_CONFIG, INVALID_REQUEST, INVALID_REQUEST]
