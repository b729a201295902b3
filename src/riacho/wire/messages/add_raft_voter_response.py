"""AddRaftVoterResponse (response, key 80), v0-1.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message


class AddRaftVoterResponse(Message):
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST), ignorable=True),
    )
    NAME = "AddRaftVoterResponse"
    API_KEY = 80
    VERSIONS = (0, 1)
    FLEXIBLE = 0
