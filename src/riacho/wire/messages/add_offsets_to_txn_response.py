"""AddOffsetsToTxnResponse (response, key 25), v0-4.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class AddOffsetsToTxnResponse(Message):
    throttle_time_ms: int = 0
    error_code: int = 0

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("error_code", "int16"),
    )
    NAME = "AddOffsetsToTxnResponse"
    API_KEY = 25
    VERSIONS = (0, 4)
    FLEXIBLE = 3
