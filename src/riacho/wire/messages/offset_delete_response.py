"""OffsetDeleteResponse (response, key 47), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message, WireStruct


class OffsetDeleteResponsePartition(WireStruct):
    partition_index: int = 0
    error_code: int = 0

    FIELDS = (
        Field("partition_index", "int32"),
        Field("error_code", "int16"),
    )


class OffsetDeleteResponseTopic(WireStruct):
    name: str = ""
    partitions: list[OffsetDeleteResponsePartition] = []

    FIELDS = (
        Field("name", "string"),
        Field("partitions", OffsetDeleteResponsePartition, array=True),
    )


class OffsetDeleteResponse(Message):
    error_code: int = 0
    throttle_time_ms: int = 0
    topics: list[OffsetDeleteResponseTopic] = []

    FIELDS = (
        Field("error_code", "int16"),
        Field("throttle_time_ms", "int32", ignorable=True),
        Field("topics", OffsetDeleteResponseTopic, array=True),
    )
    NAME = "OffsetDeleteResponse"
    API_KEY = 47
    VERSIONS = (0, 0)
