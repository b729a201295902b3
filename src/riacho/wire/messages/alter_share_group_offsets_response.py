"""AlterShareGroupOffsetsResponse (response, key 91), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


class AlterShareGroupOffsetsResponsePartition(WireStruct):
    partition_index: int = 0
    error_code: int = 0
    error_message: str | None = None

    FIELDS = (
        Field("partition_index", "int32"),
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST), default=None),
    )


class AlterShareGroupOffsetsResponseTopic(WireStruct):
    topic_name: str = ""
    topic_id: bytes = ZERO_UUID
    partitions: list[AlterShareGroupOffsetsResponsePartition] = []

    FIELDS = (
        Field("topic_name", "string"),
        Field("topic_id", "uuid"),
        Field("partitions", AlterShareGroupOffsetsResponsePartition, array=True),
    )


class AlterShareGroupOffsetsResponse(Message):
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = None
    responses: list[AlterShareGroupOffsetsResponseTopic] = []

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST), default=None),
        Field("responses", AlterShareGroupOffsetsResponseTopic, array=True),
    )
    NAME = "AlterShareGroupOffsetsResponse"
    API_KEY = 91
    VERSIONS = (0, 0)
    FLEXIBLE = 0
