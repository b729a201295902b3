"""HeartbeatResponse (response, key 12), v0-4.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message


class HeartbeatResponse(Message):
    throttle_time_ms: int = 0
    error_code: int = 0

    FIELDS = (
        Field("throttle_time_ms", "int32", (1, LAST), ignorable=True),
        Field("error_code", "int16"),
    )
    NAME = "HeartbeatResponse"
    API_KEY = 12
    VERSIONS = (0, 4)
    FLEXIBLE = 4
