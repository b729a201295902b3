"""BeginQuorumEpochRequest (request, key 53), v0-1.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


class PartitionData(WireStruct):
    partition_index: int = 0
    voter_directory_id: bytes = ZERO_UUID
    leader_id: int = 0
    leader_epoch: int = 0

    FIELDS = (
        Field("partition_index", "int32"),
        Field("voter_directory_id", "uuid", (1, LAST), ignorable=True),
        Field("leader_id", "int32"),
        Field("leader_epoch", "int32"),
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


class BeginQuorumEpochRequest(Message):
    cluster_id: str | None = None
    voter_id: int = -1
    topics: list[TopicData] = []
    leader_endpoints: list[LeaderEndpoint] = []

    FIELDS = (
        Field("cluster_id", "string", nullable=(0, LAST), default=None),
        Field("voter_id", "int32", (1, LAST), default=-1, ignorable=True),
        Field("topics", TopicData, array=True),
        Field("leader_endpoints", LeaderEndpoint, (1, LAST), array=True, ignorable=True),
    )
    NAME = "BeginQuorumEpochRequest"
    API_KEY = 53
    VERSIONS = (0, 1)
    FLEXIBLE = 1
