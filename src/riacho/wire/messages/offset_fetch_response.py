"""OffsetFetchResponse (response, key 9), v1-10.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


class OffsetFetchResponsePartition(WireStruct):
    partition_index: int = 0
    committed_offset: int = 0
    committed_leader_epoch: int = -1
    metadata: str | None = ""
    error_code: int = 0

    FIELDS = (
        Field("partition_index", "int32", (0, 7)),
        Field("committed_offset", "int64", (0, 7)),
        Field("committed_leader_epoch", "int32", (5, 7), default=-1, ignorable=True),
        Field("metadata", "string", (0, 7), nullable=(0, 7)),
        Field("error_code", "int16", (0, 7)),
    )


class OffsetFetchResponseTopic(WireStruct):
    name: str = ""
    partitions: list[OffsetFetchResponsePartition] = []

    FIELDS = (
        Field("name", "string", (0, 7)),
        Field("partitions", OffsetFetchResponsePartition, (0, 7), array=True),
    )


class OffsetFetchResponsePartitions(WireStruct):
    partition_index: int = 0
    committed_offset: int = 0
    committed_leader_epoch: int = -1
    metadata: str | None = ""
    error_code: int = 0

    FIELDS = (
        Field("partition_index", "int32", (8, LAST)),
        Field("committed_offset", "int64", (8, LAST)),
        Field("committed_leader_epoch", "int32", (8, LAST), default=-1, ignorable=True),
        Field("metadata", "string", (8, LAST), nullable=(8, LAST)),
        Field("error_code", "int16", (8, LAST)),
    )


class OffsetFetchResponseTopics(WireStruct):
    name: str = ""
    topic_id: bytes = ZERO_UUID
    partitions: list[OffsetFetchResponsePartitions] = []

    FIELDS = (
        Field("name", "string", (8, 9), ignorable=True),
        Field("topic_id", "uuid", (10, LAST), ignorable=True),
        Field("partitions", OffsetFetchResponsePartitions, (8, LAST), array=True),
    )


class OffsetFetchResponseGroup(WireStruct):
    group_id: str = ""
    topics: list[OffsetFetchResponseTopics] = []
    error_code: int = 0

    FIELDS = (
        Field("group_id", "string", (8, LAST)),
        Field("topics", OffsetFetchResponseTopics, (8, LAST), array=True),
        Field("error_code", "int16", (8, LAST)),
    )


class OffsetFetchResponse(Message):
    throttle_time_ms: int = 0
    topics: list[OffsetFetchResponseTopic] = []
    error_code: int = 0
    groups: list[OffsetFetchResponseGroup] = []

    FIELDS = (
        Field("throttle_time_ms", "int32", (3, LAST), ignorable=True),
        Field("topics", OffsetFetchResponseTopic, (0, 7), array=True),
        Field("error_code", "int16", (2, 7), ignorable=True),
        Field("groups", OffsetFetchResponseGroup, (8, LAST), array=True),
    )
    NAME = "OffsetFetchResponse"
    API_KEY = 9
    VERSIONS = (1, 10)
    FLEXIBLE = 6
