"""RequestHeader (header), v1-2.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message


class RequestHeader(Message):
    request_api_key: int = 0
    request_api_version: int = 0
    correlation_id: int = 0
    client_id: str | None = ""

    FIELDS = (
        Field("request_api_key", "int16"),
        Field("request_api_version", "int16"),
        Field("correlation_id", "int32"),
        Field("client_id", "string", (1, LAST), nullable=(1, LAST), flexible=False),
    )
    NAME = "RequestHeader"
    VERSIONS = (1, 2)
    FLEXIBLE = 2
