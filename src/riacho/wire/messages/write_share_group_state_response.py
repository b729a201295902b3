"""WriteShareGroupStateResponse (response, key 85), v0-1.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


class PartitionResult(WireStruct):
    partition: int = 0
    error_code: int = 0
    error_message: str | None = None

    FIELDS = (
        Field("partition", "int32"),
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST), default=None),
    )


class WriteStateResult(WireStruct):
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionResult] = []

    FIELDS = (
        Field("topic_id", "uuid"),
        Field("partitions", PartitionResult, array=True),
    )


class WriteShareGroupStateResponse(Message):
    results: list[WriteStateResult] = []

    FIELDS = (Field("results", WriteStateResult, array=True),)
    NAME = "WriteShareGroupStateResponse"
    API_KEY = 85
    VERSIONS = (0, 1)
    FLEXIBLE = 0
