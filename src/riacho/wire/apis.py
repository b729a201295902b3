"""The table of Kafka's APIs: key, name, versions, and where each is served.

`min_version` and `max_version` are what the message definitions hold; `advertised` is what a broker's ApiVersions
answer shows on its own listeners. They differ twice: Produce is shown from 0 although 0-2 are refused, since old
librdkafka otherwise stops compressing (KAFKA-18659), and InitProducerId 6 is not stable yet.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Final, NamedTuple

from riacho.wire.schema import Message, Range


class ApiInfo(NamedTuple):
    key: int
    name: str
    min_version: int
    max_version: int
    # The first flexible version, of request and response alike (KIP-482).
    flexible: int | None
    listeners: frozenset[str]
    # None: not among what a broker's listeners advertise.
    advertised: Range | None
    # A broker hands it to the active controller (KIP-590).
    forwardable: bool = False
    # Needs CLUSTER_ACTION: it comes from another node of the cluster.
    cluster_action: bool = False

    def is_flexible(self, version: int) -> bool:
        return self.flexible is not None and version >= self.flexible


_BROKER: Final = frozenset({"broker"})
_CONTROLLER: Final = frozenset({"controller"})
_BOTH: Final = _BROKER | _CONTROLLER

_TABLE: Final = (
    ApiInfo(0, "Produce", 3, 13, 9, _BROKER, (0, 13)),
    ApiInfo(1, "Fetch", 4, 18, 12, _BOTH, (4, 18)),
    ApiInfo(2, "ListOffsets", 1, 11, 6, _BROKER, (1, 11)),
    ApiInfo(3, "Metadata", 0, 13, 9, _BROKER, (0, 13)),
    ApiInfo(8, "OffsetCommit", 2, 10, 8, _BROKER, (2, 10)),
    ApiInfo(9, "OffsetFetch", 1, 10, 6, _BROKER, (1, 10)),
    ApiInfo(10, "FindCoordinator", 0, 6, 3, _BROKER, (0, 6)),
    ApiInfo(11, "JoinGroup", 0, 9, 6, _BROKER, (0, 9)),
    ApiInfo(12, "Heartbeat", 0, 4, 4, _BROKER, (0, 4)),
    ApiInfo(13, "LeaveGroup", 0, 5, 4, _BROKER, (0, 5)),
    ApiInfo(14, "SyncGroup", 0, 5, 4, _BROKER, (0, 5)),
    ApiInfo(15, "DescribeGroups", 0, 6, 5, _BROKER, (0, 6)),
    ApiInfo(16, "ListGroups", 0, 5, 3, _BROKER, (0, 5)),
    ApiInfo(17, "SaslHandshake", 0, 1, None, _BOTH, (0, 1)),
    ApiInfo(18, "ApiVersions", 0, 4, 3, _BOTH, (0, 4)),
    ApiInfo(19, "CreateTopics", 2, 7, 5, _BOTH, (2, 7), forwardable=True),
    ApiInfo(20, "DeleteTopics", 1, 6, 4, _BOTH, (1, 6), forwardable=True),
    ApiInfo(21, "DeleteRecords", 0, 2, 2, _BROKER, (0, 2)),
    ApiInfo(22, "InitProducerId", 0, 6, 2, _BROKER, (0, 5)),
    ApiInfo(23, "OffsetForLeaderEpoch", 2, 4, 4, _BROKER, (2, 4)),
    ApiInfo(24, "AddPartitionsToTxn", 0, 5, 3, _BROKER, (0, 5)),
    ApiInfo(25, "AddOffsetsToTxn", 0, 4, 3, _BROKER, (0, 4)),
    ApiInfo(26, "EndTxn", 0, 5, 3, _BROKER, (0, 5)),
    ApiInfo(27, "WriteTxnMarkers", 1, 2, 1, _BROKER, (1, 2), cluster_action=True),
    ApiInfo(28, "TxnOffsetCommit", 0, 5, 3, _BROKER, (0, 5)),
    ApiInfo(29, "DescribeAcls", 1, 3, 2, _BOTH, (1, 3)),
    ApiInfo(30, "CreateAcls", 1, 3, 2, _BOTH, (1, 3), forwardable=True),
    ApiInfo(31, "DeleteAcls", 1, 3, 2, _BOTH, (1, 3), forwardable=True),
    ApiInfo(32, "DescribeConfigs", 1, 4, 4, _BOTH, (1, 4)),
    ApiInfo(33, "AlterConfigs", 0, 2, 2, _BOTH, (0, 2), forwardable=True),
    ApiInfo(34, "AlterReplicaLogDirs", 1, 2, 2, _BROKER, (1, 2)),
    ApiInfo(35, "DescribeLogDirs", 1, 5, 2, _BROKER, (1, 5)),
    ApiInfo(36, "SaslAuthenticate", 0, 2, 2, _BOTH, (0, 2)),
    ApiInfo(37, "CreatePartitions", 0, 3, 2, _BOTH, (0, 3), forwardable=True),
    ApiInfo(38, "CreateDelegationToken", 1, 3, 2, _BOTH, (1, 3), forwardable=True),
    ApiInfo(39, "RenewDelegationToken", 1, 2, 2, _BOTH, (1, 2), forwardable=True),
    ApiInfo(40, "ExpireDelegationToken", 1, 2, 2, _BOTH, (1, 2), forwardable=True),
    ApiInfo(41, "DescribeDelegationToken", 1, 3, 2, _BOTH, (1, 3)),
    ApiInfo(42, "DeleteGroups", 0, 2, 2, _BROKER, (0, 2)),
    ApiInfo(43, "ElectLeaders", 0, 2, 2, _BOTH, (0, 2), forwardable=True),
    ApiInfo(44, "IncrementalAlterConfigs", 0, 1, 1, _BOTH, (0, 1), forwardable=True),
    ApiInfo(45, "AlterPartitionReassignments", 0, 1, 0, _BOTH, (0, 1), forwardable=True),
    ApiInfo(46, "ListPartitionReassignments", 0, 0, 0, _BOTH, (0, 0), forwardable=True),
    ApiInfo(47, "OffsetDelete", 0, 0, None, _BROKER, (0, 0)),
    ApiInfo(48, "DescribeClientQuotas", 0, 1, 1, _BROKER, (0, 1)),
    ApiInfo(49, "AlterClientQuotas", 0, 1, 1, _BOTH, (0, 1), forwardable=True),
    ApiInfo(50, "DescribeUserScramCredentials", 0, 0, 0, _BOTH, (0, 0)),
    ApiInfo(51, "AlterUserScramCredentials", 0, 0, 0, _BOTH, (0, 0), forwardable=True),
    ApiInfo(52, "Vote", 0, 2, 0, _CONTROLLER, None, cluster_action=True),
    ApiInfo(53, "BeginQuorumEpoch", 0, 1, 1, _CONTROLLER, None, cluster_action=True),
    ApiInfo(54, "EndQuorumEpoch", 0, 1, 1, _CONTROLLER, None, cluster_action=True),
    ApiInfo(55, "DescribeQuorum", 0, 2, 0, _BOTH, (0, 2), forwardable=True, cluster_action=True),
    ApiInfo(56, "AlterPartition", 2, 3, 0, _CONTROLLER, None, cluster_action=True),
    ApiInfo(57, "UpdateFeatures", 0, 2, 0, _BOTH, (0, 2), forwardable=True, cluster_action=True),
    ApiInfo(58, "Envelope", 0, 0, 0, _CONTROLLER, None, cluster_action=True),
    ApiInfo(59, "FetchSnapshot", 0, 1, 0, _CONTROLLER, None),
    ApiInfo(60, "DescribeCluster", 0, 2, 0, _BOTH, (0, 2)),
    ApiInfo(61, "DescribeProducers", 0, 0, 0, _BROKER, (0, 0)),
    ApiInfo(62, "BrokerRegistration", 0, 4, 0, _CONTROLLER, None, cluster_action=True),
    ApiInfo(63, "BrokerHeartbeat", 0, 2, 0, _CONTROLLER, None, cluster_action=True),
    ApiInfo(64, "UnregisterBroker", 0, 0, 0, _BOTH, (0, 0), forwardable=True),
    ApiInfo(65, "DescribeTransactions", 0, 0, 0, _BROKER, (0, 0)),
    ApiInfo(66, "ListTransactions", 0, 2, 0, _BROKER, (0, 2)),
    ApiInfo(67, "AllocateProducerIds", 0, 0, 0, _CONTROLLER, None, forwardable=True, cluster_action=True),
    ApiInfo(68, "ConsumerGroupHeartbeat", 0, 1, 0, _BROKER, (0, 1)),
    ApiInfo(69, "ConsumerGroupDescribe", 0, 1, 0, _BROKER, (0, 1)),
    ApiInfo(70, "ControllerRegistration", 0, 0, 0, _CONTROLLER, None),
    ApiInfo(71, "GetTelemetrySubscriptions", 0, 0, 0, _BROKER, (0, 0)),
    ApiInfo(72, "PushTelemetry", 0, 0, 0, _BROKER, (0, 0)),
    ApiInfo(73, "AssignReplicasToDirs", 0, 0, 0, _CONTROLLER, None),
    ApiInfo(74, "ListConfigResources", 0, 1, 0, _BROKER, (0, 1)),
    ApiInfo(75, "DescribeTopicPartitions", 0, 0, 0, _BROKER, (0, 0)),
    ApiInfo(76, "ShareGroupHeartbeat", 1, 1, 0, _BROKER, (1, 1)),
    ApiInfo(77, "ShareGroupDescribe", 1, 1, 0, _BROKER, (1, 1)),
    ApiInfo(78, "ShareFetch", 1, 2, 0, _BROKER, (1, 2)),
    ApiInfo(79, "ShareAcknowledge", 1, 2, 0, _BROKER, (1, 2)),
    ApiInfo(80, "AddRaftVoter", 0, 1, 0, _BOTH, (0, 1), forwardable=True),
    ApiInfo(81, "RemoveRaftVoter", 0, 0, 0, _BOTH, (0, 0), forwardable=True),
    ApiInfo(82, "UpdateRaftVoter", 0, 0, 0, _CONTROLLER, None),
    ApiInfo(83, "InitializeShareGroupState", 0, 0, 0, _BROKER, (0, 0), cluster_action=True),
    ApiInfo(84, "ReadShareGroupState", 0, 0, 0, _BROKER, (0, 0), cluster_action=True),
    ApiInfo(85, "WriteShareGroupState", 0, 1, 0, _BROKER, (0, 1), cluster_action=True),
    ApiInfo(86, "DeleteShareGroupState", 0, 0, 0, _BROKER, (0, 0), cluster_action=True),
    ApiInfo(87, "ReadShareGroupStateSummary", 0, 1, 0, _BROKER, (0, 1), cluster_action=True),
    ApiInfo(88, "StreamsGroupHeartbeat", 0, 0, 0, _BROKER, (0, 0)),
    ApiInfo(89, "StreamsGroupDescribe", 0, 0, 0, _BROKER, (0, 0)),
    ApiInfo(90, "DescribeShareGroupOffsets", 0, 1, 0, _BROKER, (0, 1)),
    ApiInfo(91, "AlterShareGroupOffsets", 0, 0, 0, _BROKER, (0, 0)),
    ApiInfo(92, "DeleteShareGroupOffsets", 0, 0, 0, _BROKER, (0, 0)),
)

APIS: Final[dict[int, ApiInfo]] = {api.key: api for api in _TABLE}


@cache
def request_class(key: int) -> type[Message]:
    return _message_class(APIS[key].name + "Request")


@cache
def response_class(key: int) -> type[Message]:
    return _message_class(APIS[key].name + "Response")


def _message_class(name: str) -> type[Message]:
    module = "".join("_" + c.lower() if c.isupper() else c for c in name).lstrip("_")
    found: type[Message] = getattr(import_module(f"riacho.wire.messages.{module}"), name)
    return found
