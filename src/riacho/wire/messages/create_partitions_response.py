"""CreatePartitionsResponse (response, key 37), v0-3.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class CreatePartitionsTopicResult(WireStruct):
    name: str = ""
    error_code: int = 0
    error_message: str | None = None

    FIELDS = (
        Field("name", "string"),
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST), default=None),
    )


class CreatePartitionsResponse(Message):
    throttle_time_ms: int = 0
    results: list[CreatePartitionsTopicResult] = []

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("results", CreatePartitionsTopicResult, array=True),
    )
    NAME = "CreatePartitionsResponse"
    API_KEY = 37
    VERSIONS = (0, 3)
    FLEXIBLE = 2
