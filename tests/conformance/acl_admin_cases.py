"""The APIs by which a cluster is looked after, and those that brokers and controllers use among themselves: what they
take. The rows read as in `acl_cases`."""

from __future__ import annotations

from typing import Any

from conformance.acl_cases import CLUSTER, GROUP, TOPIC, UNKNOWN, Case, Values, World

# Of config resources.
_TOPIC, _BROKER, _CLIENT_METRICS, _GROUP = 2, 4, 16, 32
NOWHERE = b"\7" * 16


def _new_topic(w: World) -> dict[str, Any]:
    topic = {"name": f"{w.me}-new", "num_partitions": 1, "replication_factor": 1}
    return {"topics": [topic], "timeout_ms": 5_000}


def _described(resource_type: int, name: str) -> Values:
    resource = {"resource_type": resource_type, "resource_name": name, "configuration_keys": None}
    return lambda w: {"resources": [resource]}


def _altered(resource_type: int, name: str, key: str, value: str) -> Values:
    resource = {"resource_type": resource_type, "resource_name": name, "configs": [{"name": key, "value": value}]}
    return lambda w: {"resources": [resource], "validate_only": True}


def _increment(resource_type: int, name: str, key: str, value: str) -> Values:
    config = {"name": key, "config_operation": 0, "value": value}
    resource = {"resource_type": resource_type, "resource_name": name, "configs": [config]}
    return lambda w: {"resources": [resource], "validate_only": True}


def new_acl(w: World) -> dict[str, Any]:
    return {
        "creations": [
            {
                "resource_type": 2,
                "resource_name": f"{w.me}-acl",
                "resource_pattern_type": 3,
                "principal": "User:nobody",
                "host": "*",
                "operation": 3,
                "permission_type": 3,
            }
        ]
    }


def acl_filter(w: World) -> dict[str, Any]:
    return {
        "resource_type_filter": 2,
        "resource_name_filter": f"{w.me}-no-acl",
        "pattern_type_filter": 3,
        "principal_filter": None,
        "host_filter": None,
        "operation": 1,
        "permission_type": 1,
    }


def of_cluster(name: str, version: int, operation: str, values: Values, **more: Any) -> Case:
    return Case(name, name, version, values, (f"{operation} cluster",), (CLUSTER,), **more)


ADMIN: list[Case] = [
    Case("CreateTopics", "CreateTopics", 7, _new_topic, ("CREATE topic:{me}-new",), (TOPIC,)),
    Case("CreateTopics of the cluster", "CreateTopics", 7, _new_topic, ("CREATE cluster",), (TOPIC,)),
    Case(
        "CreateTopics that are there",
        "CreateTopics",
        7,
        lambda w: {"topics": [{"name": "open", "num_partitions": 1, "replication_factor": 1}], "timeout_ms": 5_000},
        ("CREATE topic:open",),
        (TOPIC,),
        "TOPIC_ALREADY_EXISTS",
    ),
    Case(
        "DeleteTopics of nothing",
        "DeleteTopics",
        6,
        lambda w: {"topics": [{"name": f"{w.me}-none"}], "timeout_ms": 5_000},
        ("DELETE topic:{me}-none",),
        (TOPIC,),
        UNKNOWN,
    ),
    Case(
        "DeleteTopics",
        "DeleteTopics",
        5,
        lambda w: {"topic_names": ["open"], "timeout_ms": 5_000},
        ("DELETE topic:open",),
        (TOPIC,),
        tries_granted=False,
    ),
    Case(
        "DeleteTopics by id",
        "DeleteTopics",
        6,
        lambda w: {"topics": [{"name": None, "topic_id": w.topic_id}], "timeout_ms": 5_000},
        ("DELETE topic:open",),
        (TOPIC,),
        tries_granted=False,
    ),
    Case(
        "DeleteTopics of an unknown id",
        "DeleteTopics",
        6,
        lambda w: {"topics": [{"name": None, "topic_id": NOWHERE}], "timeout_ms": 5_000},
        granted="UNKNOWN_TOPIC_ID",
    ),
    Case(
        "DeleteTopics of the cluster",
        "DeleteTopics",
        6,
        lambda w: {"topics": [{"name": f"{w.me}-none"}], "timeout_ms": 5_000},
        ("DELETE cluster",),
        (TOPIC,),
        UNKNOWN,
    ),
    Case(
        "CreatePartitions",
        "CreatePartitions",
        3,
        lambda w: {"topics": [{"name": "open", "count": 1, "assignments": None}], "timeout_ms": 5_000},
        ("ALTER topic:open",),
        (TOPIC,),
        "INVALID_PARTITIONS",
    ),
    Case(
        "DescribeConfigs of a topic",
        "DescribeConfigs",
        4,
        _described(_TOPIC, "open"),
        ("DESCRIBE_CONFIGS topic:open",),
        (TOPIC,),
    ),
    Case(
        "DescribeConfigs of no topic",
        "DescribeConfigs",
        4,
        _described(_TOPIC, "ghost"),
        ("DESCRIBE_CONFIGS topic:ghost",),
        (TOPIC,),
        UNKNOWN,
    ),
    Case(
        "DescribeConfigs of a broker",
        "DescribeConfigs",
        4,
        _described(_BROKER, "1"),
        ("DESCRIBE_CONFIGS cluster",),
        (CLUSTER,),
    ),
    Case(
        "DescribeConfigs of a group",
        "DescribeConfigs",
        4,
        _described(_GROUP, "group"),
        ("DESCRIBE_CONFIGS group:group",),
        (GROUP,),
    ),
    Case(
        "DescribeConfigs of metrics",
        "DescribeConfigs",
        4,
        _described(_CLIENT_METRICS, "m"),
        ("DESCRIBE_CONFIGS cluster",),
        (CLUSTER,),
    ),
    Case(
        "AlterConfigs of a topic",
        "AlterConfigs",
        2,
        _altered(_TOPIC, "open", "retention.ms", "1000"),
        ("ALTER_CONFIGS topic:open",),
        (TOPIC,),
    ),
    Case(
        "AlterConfigs of no topic",
        "AlterConfigs",
        2,
        _altered(_TOPIC, "ghost", "retention.ms", "1000"),
        ("ALTER_CONFIGS topic:ghost",),
        (TOPIC,),
        UNKNOWN,
    ),
    Case(
        "AlterConfigs of the brokers",
        "AlterConfigs",
        2,
        _altered(_BROKER, "", "log.cleaner.threads", "2"),
        ("ALTER_CONFIGS cluster",),
        (CLUSTER,),
        granted=None,
    ),
    Case(
        "IncrementalAlterConfigs of a topic",
        "IncrementalAlterConfigs",
        1,
        _increment(_TOPIC, "open", "retention.ms", "1000"),
        ("ALTER_CONFIGS topic:open",),
        (TOPIC,),
    ),
    Case(
        "IncrementalAlterConfigs of the brokers",
        "IncrementalAlterConfigs",
        1,
        _increment(_BROKER, "", "log.cleaner.threads", "2"),
        ("ALTER_CONFIGS cluster",),
        (CLUSTER,),
    ),
    Case(
        "IncrementalAlterConfigs of a group",
        "IncrementalAlterConfigs",
        1,
        _increment(_GROUP, "group", "consumer.session.timeout.ms", "46000"),
        ("ALTER_CONFIGS group:group",),
        (GROUP,),
    ),
    Case(
        "IncrementalAlterConfigs of metrics",
        "IncrementalAlterConfigs",
        1,
        _increment(_CLIENT_METRICS, "m", "interval.ms", "1000"),
        ("ALTER_CONFIGS cluster",),
        (CLUSTER,),
    ),
    of_cluster("DescribeAcls", 3, "DESCRIBE", acl_filter),
    of_cluster("CreateAcls", 3, "ALTER", new_acl),
    of_cluster("DeleteAcls", 3, "ALTER", lambda w: {"filters": [acl_filter(w)]}),
    of_cluster(
        "AlterReplicaLogDirs",
        2,
        "ALTER",
        lambda w: {"dirs": [{"path": w.log_dir, "topics": [{"name": "ghost", "partitions": [0]}]}]},
        granted=None,
    ),
    of_cluster("DescribeLogDirs", 4, "DESCRIBE", lambda w: {"topics": None}),
    of_cluster(
        "ElectLeaders",
        2,
        "ALTER",
        lambda w: {"election_type": 0, "topic_partitions": [{"topic": "open", "partitions": [0]}], "timeout_ms": 5_000},
        granted="ELECTION_NOT_NEEDED",
    ),
    of_cluster(
        "AlterPartitionReassignments",
        0,
        "ALTER",
        lambda w: {
            "timeout_ms": 5_000,
            "topics": [{"name": "open", "partitions": [{"partition_index": 0, "replicas": None}]}],
        },
        granted="NO_REASSIGNMENT_IN_PROGRESS",
    ),
    of_cluster("ListPartitionReassignments", 0, "DESCRIBE", lambda w: {"timeout_ms": 5_000, "topics": None}),
    of_cluster("DescribeClientQuotas", 1, "DESCRIBE_CONFIGS", lambda w: {"components": [], "strict": False}),
    of_cluster(
        "AlterClientQuotas",
        1,
        "ALTER_CONFIGS",
        lambda w: {
            "entries": [
                {
                    "entity": [{"entity_type": "user", "entity_name": w.me}],
                    "ops": [{"key": "producer_byte_rate", "value": 1e9, "remove": False}],
                }
            ],
            "validate_only": True,
        },
    ),
    of_cluster("DescribeUserScramCredentials", 0, "DESCRIBE", lambda w: {"users": [{"name": w.me}]}, granted=None),
    of_cluster(
        "AlterUserScramCredentials",
        0,
        "ALTER",
        lambda w: {"deletions": [{"name": w.me, "mechanism": 1}], "upsertions": []},
        granted="RESOURCE_NOT_FOUND",
    ),
    of_cluster(
        "DescribeQuorum",
        1,
        "DESCRIBE",
        lambda w: {"topics": [{"topic_name": "__cluster_metadata", "partitions": [{"partition_index": 0}]}]},
    ),
    of_cluster("UpdateFeatures", 1, "ALTER", lambda w: {"timeout_ms": 5_000, "feature_updates": []}, granted=None),
    of_cluster("UnregisterBroker", 0, "ALTER", lambda w: {"broker_id": 77}, granted="BROKER_ID_NOT_REGISTERED"),
    of_cluster("ListConfigResources", 1, "DESCRIBE_CONFIGS", lambda w: {"resource_types": []}),
    Case("DescribeCluster", "DescribeCluster", 1, lambda w: {"endpoint_type": 1}),
    of_cluster(
        "AddRaftVoter",
        0,
        "ALTER",
        lambda w: {
            "cluster_id": w.cluster_id,
            "timeout_ms": 1_000,
            "voter_id": 1,
            "voter_directory_id": NOWHERE,
            "listeners": [{"name": "CONTROLLER", "host": "127.0.0.1", "port": 1}],
        },
        granted=None,
    ),
    of_cluster(
        "RemoveRaftVoter",
        0,
        "ALTER",
        lambda w: {"cluster_id": w.cluster_id, "voter_id": 77, "voter_directory_id": NOWHERE},
        granted=None,
    ),
]
