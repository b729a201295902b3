"""MetadataResponse (response, key 3), v0-13.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


class MetadataResponseBroker(WireStruct):
    node_id: int = 0
    host: str = ""
    port: int = 0
    rack: str | None = None

    FIELDS = (
        Field("node_id", "int32"),
        Field("host", "string"),
        Field("port", "int32"),
        Field("rack", "string", (1, LAST), nullable=(1, LAST), default=None, ignorable=True),
    )


class MetadataResponsePartition(WireStruct):
    error_code: int = 0
    partition_index: int = 0
    leader_id: int = 0
    leader_epoch: int = -1
    replica_nodes: list[int] = []
    isr_nodes: list[int] = []
    offline_replicas: list[int] = []

    FIELDS = (
        Field("error_code", "int16"),
        Field("partition_index", "int32"),
        Field("leader_id", "int32"),
        Field("leader_epoch", "int32", (7, LAST), default=-1, ignorable=True),
        Field("replica_nodes", "int32", array=True),
        Field("isr_nodes", "int32", array=True),
        Field("offline_replicas", "int32", (5, LAST), array=True, ignorable=True),
    )


class MetadataResponseTopic(WireStruct):
    error_code: int = 0
    name: str | None = ""
    topic_id: bytes = ZERO_UUID
    is_internal: bool = False
    partitions: list[MetadataResponsePartition] = []
    topic_authorized_operations: int = -2147483648

    FIELDS = (
        Field("error_code", "int16"),
        Field("name", "string", nullable=(12, LAST)),
        Field("topic_id", "uuid", (10, LAST), ignorable=True),
        Field("is_internal", "bool", (1, LAST), ignorable=True),
        Field("partitions", MetadataResponsePartition, array=True),
        Field("topic_authorized_operations", "int32", (8, LAST), default=-2147483648),
    )


class MetadataResponse(Message):
    throttle_time_ms: int = 0
    brokers: list[MetadataResponseBroker] = []
    cluster_id: str | None = None
    controller_id: int = -1
    topics: list[MetadataResponseTopic] = []
    cluster_authorized_operations: int = -2147483648
    error_code: int = 0

    FIELDS = (
        Field("throttle_time_ms", "int32", (3, LAST), ignorable=True),
        Field("brokers", MetadataResponseBroker, array=True),
        Field("cluster_id", "string", (2, LAST), nullable=(2, LAST), default=None, ignorable=True),
        Field("controller_id", "int32", (1, LAST), default=-1, ignorable=True),
        Field("topics", MetadataResponseTopic, array=True),
        Field("cluster_authorized_operations", "int32", (8, 10), default=-2147483648),
        Field("error_code", "int16", (13, LAST), ignorable=True),
    )
    NAME = "MetadataResponse"
    API_KEY = 3
    VERSIONS = (0, 13)
    FLEXIBLE = 9
