"""VoteResponse (response, key 52), v0-2.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class PartitionData(WireStruct):
    partition_index: int = 0
    error_code: int = 0
    leader_id: int = 0
    leader_epoch: int = 0
    vote_granted: bool = False

    FIELDS = (
        Field("partition_index", "int32"),
        Field("error_code", "int16"),
        Field("leader_id", "int32"),
        Field("leader_epoch", "int32"),
        Field("vote_granted", "bool"),
    )


class TopicData(WireStruct):
    topic_name: str = ""
    partitions: list[PartitionData] = []

    FIELDS = (
        Field("topic_name", "string"),
        Field("partitions", PartitionData, array=True),
    )


class NodeEndpoint(WireStruct):
    node_id: int = 0
    host: str = ""
    port: int = 0

    FIELDS = (
        Field("node_id", "int32", (1, LAST)),
        Field("host", "string", (1, LAST)),
        Field("port", "uint16", (1, LAST)),
    )


class VoteResponse(Message):
    error_code: int = 0
    topics: list[TopicData] = []
    node_endpoints: list[NodeEndpoint] = []

    FIELDS = (
        Field("error_code", "int16"),
        Field("topics", TopicData, array=True),
        Field("node_endpoints", NodeEndpoint, (1, LAST), array=True, tag=0),
    )
    NAME = "VoteResponse"
    API_KEY = 52
    VERSIONS = (0, 2)
    FLEXIBLE = 0
