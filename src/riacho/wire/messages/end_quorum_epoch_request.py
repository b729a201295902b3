"""EndQuorumEpochRequest (request, key 54), v0-1.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


class ReplicaInfo(WireStruct):
    candidate_id: int = 0
    candidate_directory_id: bytes = ZERO_UUID

    FIELDS = (
        Field("candidate_id", "int32", (1, LAST)),
        Field("candidate_directory_id", "uuid", (1, LAST)),
    )


class PartitionData(WireStruct):
    partition_index: int = 0
    leader_id: int = 0
    leader_epoch: int = 0
    preferred_successors: list[int] = []
    preferred_candidates: list[ReplicaInfo] = []

    FIELDS = (
        Field("partition_index", "int32"),
        Field("leader_id", "int32"),
        Field("leader_epoch", "int32"),
        Field("preferred_successors", "int32", (0, 0), array=True, ignorable=True),
        Field("preferred_candidates", ReplicaInfo, (1, LAST), array=True, ignorable=True),
    )


class TopicData(WireStruct):
    topic_name: str = ""
    partitions: list[PartitionData] = []

    FIELDS = (
        Field("topic_name", "string"),
        Field("partitions", PartitionData, array=True),
    )


class LeaderEndpoint(WireStruct):
    name: str = ""
    host: str = ""
    port: int = 0

    FIELDS = (
        Field("name", "string", (1, LAST)),
        Field("host", "string", (1, LAST)),
        Field("port", "uint16", (1, LAST)),
    )


class EndQuorumEpochRequest(Message):
    cluster_id: str | None = None
    topics: list[TopicData] = []
    leader_endpoints: list[LeaderEndpoint] = []

    FIELDS = (
        Field("cluster_id", "string", nullable=(0, LAST), default=None),
        Field("topics", TopicData, array=True),
        Field("leader_endpoints", LeaderEndpoint, (1, LAST), array=True, ignorable=True),
    )
    NAME = "EndQuorumEpochRequest"
    API_KEY = 54
    VERSIONS = (0, 1)
    FLEXIBLE = 1
