"""DescribeShareGroupOffsetsResponse (response, key 90), v0-1.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


class DescribeShareGroupOffsetsResponsePartition(WireStruct):
    partition_index: int = 0
    start_offset: int = 0
    leader_epoch: int = 0
    lag: int = -1
    error_code: int = 0
    error_message: str | None = None

    FIELDS = (
        Field("partition_index", "int32"),
        Field("start_offset", "int64"),
        Field("leader_epoch", "int32"),
        Field("lag", "int64", (1, LAST), default=-1, ignorable=True),
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST), default=None),
    )


class DescribeShareGroupOffsetsResponseTopic(WireStruct):
    topic_name: str = ""
    topic_id: bytes = ZERO_UUID
    partitions: list[DescribeShareGroupOffsetsResponsePartition] = []

    FIELDS = (
        Field("topic_name", "string"),
        Field("topic_id", "uuid"),
        Field("partitions", DescribeShareGroupOffsetsResponsePartition, array=True),
    )


class DescribeShareGroupOffsetsResponseGroup(WireStruct):
    group_id: str = ""
    topics: list[DescribeShareGroupOffsetsResponseTopic] = []
    error_code: int = 0
    error_message: str | None = None

    FIELDS = (
        Field("group_id", "string"),
        Field("topics", DescribeShareGroupOffsetsResponseTopic, array=True),
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST), default=None),
    )


class DescribeShareGroupOffsetsResponse(Message):
    throttle_time_ms: int = 0
    groups: list[DescribeShareGroupOffsetsResponseGroup] = []

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("groups", DescribeShareGroupOffsetsResponseGroup, array=True),
    )
    NAME = "DescribeShareGroupOffsetsResponse"
    API_KEY = 90
    VERSIONS = (0, 1)
    FLEXIBLE = 0
