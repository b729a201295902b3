"""DeleteTopicsResponse (response, key 20), v1-6.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


class DeletableTopicResult(WireStruct):
    name: str | None = ""
    topic_id: bytes = ZERO_UUID
    error_code: int = 0
    error_message: str | None = None

    FIELDS = (
        Field("name", "string", nullable=(6, LAST)),
        Field("topic_id", "uuid", (6, LAST), ignorable=True),
        Field("error_code", "int16"),
        Field("error_message", "string", (5, LAST), nullable=(5, LAST), default=None, ignorable=True),
    )


class DeleteTopicsResponse(Message):
    throttle_time_ms: int = 0
    responses: list[DeletableTopicResult] = []

    FIELDS = (
        Field("throttle_time_ms", "int32", (1, LAST), ignorable=True),
        Field("responses", DeletableTopicResult, array=True),
    )
    NAME = "DeleteTopicsResponse"
    API_KEY = 20
    VERSIONS = (1, 6)
    FLEXIBLE = 4
