"""What brokers and controllers ask each other, and what is asked of a controller directly. The rows read as in
`acl_cases`.
"""

from __future__ import annotations

from typing import Any

from conformance.acl_admin_cases import NOWHERE, acl_filter, new_acl, of_cluster
from conformance.acl_cases import CLUSTER, Case, Values


def _share_state(name: str, partition: dict[str, Any]) -> Case:
    topics = [{"topic_id": NOWHERE, "partitions": [{"partition": 0, **partition}]}]
    return of_cluster(name, 0, "CLUSTER_ACTION", lambda w: {"group_id": w.me, "topics": topics}, granted=None)


SHARE_STATE: list[Case] = [
    _share_state("InitializeShareGroupState", {"state_epoch": 0, "start_offset": 0}),
    _share_state("ReadShareGroupState", {"leader_epoch": 0}),
    _share_state("WriteShareGroupState", {"state_epoch": 0, "leader_epoch": 0, "start_offset": 0, "state_batches": []}),
    _share_state("DeleteShareGroupState", {}),
    _share_state("ReadShareGroupStateSummary", {"leader_epoch": 0}),
]


def _to_controller(name: str, version: int, operation: str, values: Values, **more: Any) -> Case:
    """Only what is denied is tried: the quorum is no place to play."""
    return Case(
        f"{name} at a controller",
        name,
        version,
        values,
        (f"{operation} cluster",),
        (CLUSTER,),
        to_controller=True,
        tries_granted=False,
        **more,
    )


def _metadata_topics(key: str, **partition: Any) -> Values:
    topic = {key: "__cluster_metadata", "partitions": [{"partition_index": 0, **partition}]}
    return lambda w: {"cluster_id": w.cluster_id, "topics": [topic]}


CONTROLLER: list[Case] = [
    _to_controller(
        "Fetch",
        12,
        "CLUSTER_ACTION",
        lambda w: {
            "replica_id": 7,
            "max_wait_ms": 0,
            "topics": [{"topic": "__cluster_metadata", "partitions": [{"partition": 0, "fetch_offset": 0}]}],
        },
    ),
    _to_controller("Vote", 0, "CLUSTER_ACTION", _metadata_topics("topic_name", replica_epoch=0, replica_id=7)),
    _to_controller(
        "BeginQuorumEpoch", 0, "CLUSTER_ACTION", _metadata_topics("topic_name", leader_id=7, leader_epoch=0)
    ),
    _to_controller("EndQuorumEpoch", 0, "CLUSTER_ACTION", _metadata_topics("topic_name", leader_id=7)),
    _to_controller("FetchSnapshot", 0, "CLUSTER_ACTION", lambda w: {"replica_id": 7, "topics": []}),
    _to_controller("AlterPartition", 2, "CLUSTER_ACTION", lambda w: {"broker_id": 1, "broker_epoch": 0, "topics": []}),
    _to_controller(
        "Envelope",
        0,
        "CLUSTER_ACTION",
        lambda w: {"request_data": b"", "request_principal": None, "client_host_address": b"\x7f\0\0\1"},
    ),
    _to_controller(
        "BrokerRegistration",
        4,
        "CLUSTER_ACTION",
        lambda w: {"broker_id": 77, "cluster_id": w.cluster_id, "incarnation_id": NOWHERE, "listeners": []},
    ),
    _to_controller("BrokerHeartbeat", 1, "CLUSTER_ACTION", lambda w: {"broker_id": 1, "broker_epoch": 0}),
    _to_controller("AllocateProducerIds", 0, "CLUSTER_ACTION", lambda w: {"broker_id": 1, "broker_epoch": 0}),
    _to_controller("ControllerRegistration", 0, "CLUSTER_ACTION", lambda w: {"controller_id": 77}),
    _to_controller("AssignReplicasToDirs", 0, "CLUSTER_ACTION", lambda w: {"broker_id": 1, "directories": []}),
    _to_controller(
        "UpdateRaftVoter",
        0,
        "CLUSTER_ACTION",
        lambda w: {
            "cluster_id": w.cluster_id,
            "current_leader_epoch": 0,
            "voter_id": 77,
            "voter_directory_id": NOWHERE,
            "listeners": [{"name": "CONTROLLER", "host": "127.0.0.1", "port": 1}],
            "kraft_version_feature": {"min_supported_version": 0, "max_supported_version": 1},
        },
    ),
    _to_controller("DescribeCluster", 1, "ALTER", lambda w: {"endpoint_type": 2}),
    _to_controller("DescribeAcls", 3, "DESCRIBE", acl_filter),
    _to_controller("CreateAcls", 3, "ALTER", new_acl),
    _to_controller("DescribeQuorum", 1, "DESCRIBE", lambda w: {"topics": []}),
]
