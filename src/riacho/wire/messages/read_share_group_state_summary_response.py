"""ReadShareGroupStateSummaryResponse (response, key 87), v0-1.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


class PartitionResult(WireStruct):
    partition: int = 0
    error_code: int = 0
    error_message: str | None = None
    state_epoch: int = 0
    leader_epoch: int = 0
    start_offset: int = 0
    delivery_complete_count: int = -1

    FIELDS = (
        Field("partition", "int32"),
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST), default=None),
        Field("state_epoch", "int32"),
        Field("leader_epoch", "int32"),
        Field("start_offset", "int64"),
        Field("delivery_complete_count", "int32", (1, LAST), default=-1, ignorable=True),
    )


class ReadStateSummaryResult(WireStruct):
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionResult] = []

    FIELDS = (
        Field("topic_id", "uuid"),
        Field("partitions", PartitionResult, array=True),
    )


class ReadShareGroupStateSummaryResponse(Message):
    results: list[ReadStateSummaryResult] = []

    FIELDS = (Field("results", ReadStateSummaryResult, array=True),)
    NAME = "ReadShareGroupStateSummaryResponse"
    API_KEY = 87
    VERSIONS = (0, 1)
    FLEXIBLE = 0
