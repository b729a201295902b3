"""OffsetForLeaderEpochResponse (response, key 23), v2-4.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class EpochEndOffset(WireStruct):
    error_code: int = 0
    partition: int = 0
    leader_epoch: int = -1
    end_offset: int = -1

    FIELDS = (
        Field("error_code", "int16"),
        Field("partition", "int32"),
        Field("leader_epoch", "int32", (1, LAST), default=-1, ignorable=True),
        Field("end_offset", "int64", default=-1),
    )


class OffsetForLeaderTopicResult(WireStruct):
    topic: str = ""
    partitions: list[EpochEndOffset] = []

    FIELDS = (
        Field("topic", "string"),
        Field("partitions", EpochEndOffset, array=True),
    )


class OffsetForLeaderEpochResponse(Message):
    throttle_time_ms: int = 0
    topics: list[OffsetForLeaderTopicResult] = []

    FIELDS = (
        Field("throttle_time_ms", "int32", (2, LAST), ignorable=True),
        Field("topics", OffsetForLeaderTopicResult, array=True),
    )
    NAME = "OffsetForLeaderEpochResponse"
    API_KEY = 23
    VERSIONS = (2, 4)
    FLEXIBLE = 4
