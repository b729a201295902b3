"""PushTelemetryResponse (response, key 72), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class PushTelemetryResponse(Message):
    throttle_time_ms: int = 0
    error_code: int = 0

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("error_code", "int16"),
    )
    NAME = "PushTelemetryResponse"
    API_KEY = 72
    VERSIONS = (0, 0)
    FLEXIBLE = 0
