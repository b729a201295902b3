"""DeleteRecordsResponse (response, key 21), v0-2.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message, WireStruct


class DeleteRecordsPartitionResult(WireStruct):
    partition_index: int = 0
    low_watermark: int = 0
    error_code: int = 0

    FIELDS = (
        Field("partition_index", "int32"),
        Field("low_watermark", "int64"),
        Field("error_code", "int16"),
    )


class DeleteRecordsTopicResult(WireStruct):
    name: str = ""
    partitions: list[DeleteRecordsPartitionResult] = []

    FIELDS = (
        Field("name", "string"),
        Field("partitions", DeleteRecordsPartitionResult, array=True),
    )


class DeleteRecordsResponse(Message):
    throttle_time_ms: int = 0
    topics: list[DeleteRecordsTopicResult] = []

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("topics", DeleteRecordsTopicResult, array=True),
    )
    NAME = "DeleteRecordsResponse"
    API_KEY = 21
    VERSIONS = (0, 2)
    FLEXIBLE = 2
