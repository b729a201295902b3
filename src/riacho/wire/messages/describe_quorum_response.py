"""DescribeQuorumResponse (response, key 55), v0-2.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


class ReplicaState(WireStruct):
    replica_id: int = 0
    replica_directory_id: bytes = ZERO_UUID
    log_end_offset: int = 0
    last_fetch_timestamp: int = -1
    last_caught_up_timestamp: int = -1

    FIELDS = (
        Field("replica_id", "int32"),
        Field("replica_directory_id", "uuid", (2, LAST)),
        Field("log_end_offset", "int64"),
        Field("last_fetch_timestamp", "int64", (1, LAST), default=-1, ignorable=True),
        Field("last_caught_up_timestamp", "int64", (1, LAST), default=-1, ignorable=True),
    )


class PartitionData(WireStruct):
    partition_index: int = 0
    error_code: int = 0
    error_message: str | None = ""
    leader_id: int = 0
    leader_epoch: int = 0
    high_watermark: int = 0
    current_voters: list[ReplicaState] = []
    observers: list[ReplicaState] = []

    FIELDS = (
        Field("partition_index", "int32"),
        Field("error_code", "int16"),
        Field("error_message", "string", (2, LAST), nullable=(2, LAST), ignorable=True),
        Field("leader_id", "int32"),
        Field("leader_epoch", "int32"),
        Field("high_watermark", "int64"),
        Field("current_voters", ReplicaState, array=True),
        Field("observers", ReplicaState, array=True),
    )


class TopicData(WireStruct):
    topic_name: str = ""
    partitions: list[PartitionData] = []

    FIELDS = (
        Field("topic_name", "string"),
        Field("partitions", PartitionData, array=True),
    )


class Listener(WireStruct):
    name: str = ""
    host: str = ""
    port: int = 0

    FIELDS = (
        Field("name", "string", (2, LAST)),
        Field("host", "string", (2, LAST)),
        Field("port", "uint16", (2, LAST)),
    )


class Node(WireStruct):
    node_id: int = 0
    listeners: list[Listener] = []

    FIELDS = (
        Field("node_id", "int32", (2, LAST)),
        Field("listeners", Listener, (2, LAST), array=True),
    )


class DescribeQuorumResponse(Message):
    error_code: int = 0
    error_message: str | None = ""
    topics: list[TopicData] = []
    nodes: list[Node] = []

    FIELDS = (
        Field("error_code", "int16"),
        Field("error_message", "string", (2, LAST), nullable=(2, LAST), ignorable=True),
        Field("topics", TopicData, array=True),
        Field("nodes", Node, (2, LAST), array=True),
    )
    NAME = "DescribeQuorumResponse"
    API_KEY = 55
    VERSIONS = (0, 2)
    FLEXIBLE = 0
