"""BrokerHeartbeatResponse (response, key 63), v0-2.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class BrokerHeartbeatResponse(Message):
    throttle_time_ms: int = 0
    error_code: int = 0
    is_caught_up: bool = False
    is_fenced: bool = True
    should_shut_down: bool = False

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("error_code", "int16"),
        Field("is_caught_up", "bool"),
        Field("is_fenced", "bool", default=True),
        Field("should_shut_down", "bool"),
    )
    NAME = "BrokerHeartbeatResponse"
    API_KEY = 63
    VERSIONS = (0, 2)
    FLEXIBLE = 0
