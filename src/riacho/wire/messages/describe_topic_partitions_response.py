"""DescribeTopicPartitionsResponse (response, key 75), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


class DescribeTopicPartitionsResponsePartition(WireStruct):
    error_code: int = 0
    partition_index: int = 0
    leader_id: int = 0
    leader_epoch: int = -1
    replica_nodes: list[int] = []
    isr_nodes: list[int] = []
    eligible_leader_replicas: list[int] | None = None
    last_known_elr: list[int] | None = None
    offline_replicas: list[int] = []

    FIELDS = (
        Field("error_code", "int16"),
        Field("partition_index", "int32"),
        Field("leader_id", "int32"),
        Field("leader_epoch", "int32", default=-1, ignorable=True),
        Field("replica_nodes", "int32", array=True),
        Field("isr_nodes", "int32", array=True),
        Field("eligible_leader_replicas", "int32", array=True, nullable=(0, LAST), default=None),
        Field("last_known_elr", "int32", array=True, nullable=(0, LAST), default=None),
        Field("offline_replicas", "int32", array=True, ignorable=True),
    )


class DescribeTopicPartitionsResponseTopic(WireStruct):
    error_code: int = 0
    name: str | None = ""
    topic_id: bytes = ZERO_UUID
    is_internal: bool = False
    partitions: list[DescribeTopicPartitionsResponsePartition] = []
    topic_authorized_operations: int = -2147483648

    FIELDS = (
        Field("error_code", "int16"),
        Field("name", "string", nullable=(0, LAST)),
        Field("topic_id", "uuid", ignorable=True),
        Field("is_internal", "bool", ignorable=True),
        Field("partitions", DescribeTopicPartitionsResponsePartition, array=True),
        Field("topic_authorized_operations", "int32", default=-2147483648),
    )


class Cursor(WireStruct):
    topic_name: str = ""
    partition_index: int = 0

    FIELDS = (
        Field("topic_name", "string"),
        Field("partition_index", "int32"),
    )


class DescribeTopicPartitionsResponse(Message):
    throttle_time_ms: int = 0
    topics: list[DescribeTopicPartitionsResponseTopic] = []
    next_cursor: Cursor | None = None

    FIELDS = (
        Field("throttle_time_ms", "int32", ignorable=True),
        Field("topics", DescribeTopicPartitionsResponseTopic, array=True),
        Field("next_cursor", Cursor, nullable=(0, LAST), default=None),
    )
    NAME = "DescribeTopicPartitionsResponse"
    API_KEY = 75
    VERSIONS = (0, 0)
    FLEXIBLE = 0
