"""SyncGroupResponse (response, key 14), v0-5.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message


class SyncGroupResponse(Message):
    throttle_time_ms: int = 0
    error_code: int = 0
    protocol_type: str | None = None
    protocol_name: str | None = None
    assignment: bytes = b""

    FIELDS = (
        Field("throttle_time_ms", "int32", (1, LAST), ignorable=True),
        Field("error_code", "int16"),
        Field("protocol_type", "string", (5, LAST), nullable=(5, LAST), default=None, ignorable=True),
        Field("protocol_name", "string", (5, LAST), nullable=(5, LAST), default=None, ignorable=True),
        Field("assignment", "bytes"),
    )
    NAME = "SyncGroupResponse"
    API_KEY = 14
    VERSIONS = (0, 5)
    FLEXIBLE = 4
