"""TxnOffsetCommitResponse (response, key 28), v0-5.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message, WireStruct


class TxnOffsetCommitResponsePartition(WireStruct):
    partition_index: int = 0
    error_code: int = 0

    FIELDS = (
        Field("partition_index", "int32"),
        Field("error_code", "int16"),
    )


class TxnOffsetCommitResponseTopic(WireStruct):
    name: str = ""
    partitions: list[TxnOffsetCommitResponsePartition] = []

    FIELDS = (
        Field("name", "string"),
        Field("partitions", TxnOffsetCommitResponsePartition, array=True),
    )


class TxnOffsetCommitResponse(Message):
    throttle_time_ms: int = 0
    topics: list[TxnOffsetCommitResponseTopic] = []

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("topics", TxnOffsetCommitResponseTopic, array=True),
    )
    NAME = "TxnOffsetCommitResponse"
    API_KEY = 28
    VERSIONS = (0, 5)
    FLEXIBLE = 3
