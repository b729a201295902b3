"""Every API this node serves, by key: on its listeners for clients and brokers, and on those for controllers.

What is not here is not advertised, and asking for it closes the connection.
"""

from __future__ import annotations

from riacho.broker.api import Api

TABLE: tuple[Api, ...] = (
    # Clients take a broker without Produce 0 for one that cannot compress (KAFKA-18659): ApiVersions says 0 for it.
    Api(0, "Produce", (3, 13), "produce"),
    Api(1, "Fetch", (4, 18), "fetch"),
    Api(2, "ListOffsets", (1, 11), "list_offsets"),
    Api(3, "Metadata", (0, 13), "metadata"),
    Api(8, "OffsetCommit", (2, 10), "offset_commit"),
    Api(9, "OffsetFetch", (1, 10), "offset_fetch"),
    Api(10, "FindCoordinator", (0, 6), "find_coordinator"),
    Api(11, "JoinGroup", (0, 9), "join_group"),
    Api(12, "Heartbeat", (0, 4), "heartbeat"),
    Api(13, "LeaveGroup", (0, 5), "leave_group"),
    Api(14, "SyncGroup", (0, 5), "sync_group"),
    Api(15, "DescribeGroups", (0, 6), "describe_groups"),
    Api(16, "ListGroups", (0, 5), "list_groups"),
    Api(18, "ApiVersions", (0, 4), "api_versions"),
    Api(19, "CreateTopics", (2, 7), "create_topics"),
    Api(20, "DeleteTopics", (1, 6), "delete_topics"),
    Api(21, "DeleteRecords", (0, 2), "delete_records"),
    Api(22, "InitProducerId", (0, 5), "init_producer_id"),
    Api(23, "OffsetForLeaderEpoch", (2, 4), "offset_for_leader_epoch"),
    Api(32, "DescribeConfigs", (1, 4), "describe_configs"),
    Api(33, "AlterConfigs", (0, 2), "alter_configs"),
    Api(34, "AlterReplicaLogDirs", (1, 2), "alter_replica_log_dirs"),
    Api(35, "DescribeLogDirs", (1, 5), "describe_log_dirs"),
    Api(37, "CreatePartitions", (0, 3), "create_partitions"),
    Api(42, "DeleteGroups", (0, 2), "delete_groups"),
    Api(43, "ElectLeaders", (0, 2), "elect_leaders"),
    Api(44, "IncrementalAlterConfigs", (0, 1), "incremental_alter_configs"),
    Api(45, "AlterPartitionReassignments", (0, 1), "alter_partition_reassignments"),
    Api(46, "ListPartitionReassignments", (0, 0), "list_partition_reassignments"),
    Api(47, "OffsetDelete", (0, 0), "offset_delete"),
    Api(55, "DescribeQuorum", (0, 2), "describe_quorum"),
    Api(57, "UpdateFeatures", (0, 2), "update_features"),
    Api(60, "DescribeCluster", (0, 2), "describe_cluster"),
    Api(61, "DescribeProducers", (0, 0), "describe_producers"),
    Api(64, "UnregisterBroker", (0, 0), "unregister_broker"),
    Api(74, "ListConfigResources", (0, 1), "list_config_resources"),
    Api(75, "DescribeTopicPartitions", (0, 0), "describe_topic_partitions"),
    Api(80, "AddRaftVoter", (0, 1), "add_raft_voter"),
    Api(81, "RemoveRaftVoter", (0, 0), "remove_raft_voter"),
)

CONTROLLER_TABLE: tuple[Api, ...] = (
    Api(1, "Fetch", (4, 18), "metadata_fetch"),
    Api(18, "ApiVersions", (0, 4), "api_versions"),
    Api(19, "CreateTopics", (2, 7), "create_topics"),
    Api(20, "DeleteTopics", (1, 6), "delete_topics"),
    Api(32, "DescribeConfigs", (1, 4), "describe_configs"),
    Api(33, "AlterConfigs", (0, 2), "alter_configs"),
    Api(37, "CreatePartitions", (0, 3), "create_partitions"),
    Api(43, "ElectLeaders", (0, 2), "elect_leaders"),
    Api(44, "IncrementalAlterConfigs", (0, 1), "incremental_alter_configs"),
    Api(45, "AlterPartitionReassignments", (0, 1), "alter_partition_reassignments"),
    Api(46, "ListPartitionReassignments", (0, 0), "list_partition_reassignments"),
    Api(52, "Vote", (0, 2), "vote"),
    Api(53, "BeginQuorumEpoch", (0, 1), "begin_quorum_epoch"),
    Api(54, "EndQuorumEpoch", (0, 1), "end_quorum_epoch"),
    Api(55, "DescribeQuorum", (0, 2), "describe_quorum"),
    Api(56, "AlterPartition", (2, 3), "alter_partition"),
    Api(57, "UpdateFeatures", (0, 2), "update_features"),
    Api(58, "Envelope", (0, 0), "envelope"),
    Api(59, "FetchSnapshot", (0, 1), "fetch_snapshot"),
    Api(60, "DescribeCluster", (0, 2), "describe_cluster"),
    Api(62, "BrokerRegistration", (0, 4), "broker_registration"),
    Api(63, "BrokerHeartbeat", (0, 2), "broker_heartbeat"),
    Api(64, "UnregisterBroker", (0, 0), "unregister_broker"),
    Api(67, "AllocateProducerIds", (0, 0), "allocate_producer_ids"),
    Api(70, "ControllerRegistration", (0, 0), "controller_registration"),
    Api(73, "AssignReplicasToDirs", (0, 0), "assign_replicas_to_dirs"),
    Api(80, "AddRaftVoter", (0, 1), "add_raft_voter"),
    Api(81, "RemoveRaftVoter", (0, 0), "remove_raft_voter"),
    Api(82, "UpdateRaftVoter", (0, 0), "update_raft_voter"),
)

BY_KEY: dict[int, Api] = {api.key: api for api in TABLE}
CONTROLLER_BY_KEY: dict[int, Api] = {api.key: api for api in CONTROLLER_TABLE}
