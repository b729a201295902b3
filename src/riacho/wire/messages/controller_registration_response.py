"""ControllerRegistrationResponse (response, key 70), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message


class ControllerRegistrationResponse(Message):
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST)),
    )
    NAME = "ControllerRegistrationResponse"
    API_KEY = 70
    VERSIONS = (0, 0)
    FLEXIBLE = 0
