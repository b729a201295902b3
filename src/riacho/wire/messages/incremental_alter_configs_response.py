"""IncrementalAlterConfigsResponse (response, key 44), v0-1.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class AlterConfigsResourceResponse(WireStruct):
    error_code: int = 0
    error_message: str | None = ""
    resource_type: int = 0
    resource_name: str = ""

    FIELDS = (
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST)),
        Field("resource_type", "int8"),
        Field("resource_name", "string"),
    )


class IncrementalAlterConfigsResponse(Message):
    throttle_time_ms: int = 0
    responses: list[AlterConfigsResourceResponse] = []

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("responses", AlterConfigsResourceResponse, array=True),
    )
    NAME = "IncrementalAlterConfigsResponse"
    API_KEY = 44
    VERSIONS = (0, 1)
    FLEXIBLE = 1
