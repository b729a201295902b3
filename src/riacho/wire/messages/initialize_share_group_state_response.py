"""InitializeShareGroupStateResponse (response, key 83), v0.

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


class InitializeStateResult(WireStruct):
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionResult] = []

    FIELDS = (
        Field("topic_id", "uuid"),
        Field("partitions", PartitionResult, array=True),
    )


class InitializeShareGroupStateResponse(Message):
    results: list[InitializeStateResult] = []

    FIELDS = (Field("results", InitializeStateResult, array=True),)
    NAME = "InitializeShareGroupStateResponse"
    API_KEY = 83
    VERSIONS = (0, 0)
    FLEXIBLE = 0
