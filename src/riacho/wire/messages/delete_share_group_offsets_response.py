"""DeleteShareGroupOffsetsResponse (response, key 92), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


class DeleteShareGroupOffsetsResponseTopic(WireStruct):
    topic_name: str = ""
    topic_id: bytes = ZERO_UUID
    error_code: int = 0
    error_message: str | None = None

    FIELDS = (
        Field("topic_name", "string"),
        Field("topic_id", "uuid"),
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST), default=None),
    )


class DeleteShareGroupOffsetsResponse(Message):
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = None
    responses: list[DeleteShareGroupOffsetsResponseTopic] = []

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST), default=None),
        Field("responses", DeleteShareGroupOffsetsResponseTopic, array=True),
    )
    NAME = "DeleteShareGroupOffsetsResponse"
    API_KEY = 92
    VERSIONS = (0, 0)
    FLEXIBLE = 0
