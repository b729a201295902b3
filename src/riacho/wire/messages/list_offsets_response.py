"""ListOffsetsResponse (response, key 2), v1-11.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class ListOffsetsPartitionResponse(WireStruct):
    partition_index: int = 0
    error_code: int = 0
    timestamp: int = -1
    offset: int = -1
    leader_epoch: int = -1

    FIELDS = (
        Field("partition_index", "int32"),
        Field("error_code", "int16"),
        Field("timestamp", "int64", (1, LAST), default=-1),
        Field("offset", "int64", (1, LAST), default=-1),
        Field("leader_epoch", "int32", (4, LAST), default=-1),
    )


class ListOffsetsTopicResponse(WireStruct):
    name: str = ""
    partitions: list[ListOffsetsPartitionResponse] = []

    FIELDS = (
        Field("name", "string"),
        Field("partitions", ListOffsetsPartitionResponse, array=True),
    )


class ListOffsetsResponse(Message):
    throttle_time_ms: int = 0
    topics: list[ListOffsetsTopicResponse] = []

    FIELDS = (
        Field("throttle_time_ms", "int32", (2, LAST), ignorable=True),
        Field("topics", ListOffsetsTopicResponse, array=True),
    )
    NAME = "ListOffsetsResponse"
    API_KEY = 2
    VERSIONS = (1, 11)
    FLEXIBLE = 6
