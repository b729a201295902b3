"""OffsetCommitResponse (response, key 8), v2-10.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


class OffsetCommitResponsePartition(WireStruct):
    partition_index: int = 0
    error_code: int = 0

    FIELDS = (
        Field("partition_index", "int32"),
        Field("error_code", "int16"),
    )


class OffsetCommitResponseTopic(WireStruct):
    name: str = ""
    topic_id: bytes = ZERO_UUID
    partitions: list[OffsetCommitResponsePartition] = []

    FIELDS = (
        Field("name", "string", (0, 9), ignorable=True),
        Field("topic_id", "uuid", (10, LAST), ignorable=True),
        Field("partitions", OffsetCommitResponsePartition, array=True),
    )


class OffsetCommitResponse(Message):
    throttle_time_ms: int = 0
    topics: list[OffsetCommitResponseTopic] = []

    FIELDS = (
        Field("throttle_time_ms", "int32", (3, LAST), ignorable=True),
        Field("topics", OffsetCommitResponseTopic, array=True),
    )
    NAME = "OffsetCommitResponse"
    API_KEY = 8
    VERSIONS = (2, 10)
    FLEXIBLE = 8
