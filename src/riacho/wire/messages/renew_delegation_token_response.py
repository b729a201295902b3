"""RenewDelegationTokenResponse (response, key 39), v1-2.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class RenewDelegationTokenResponse(Message):
    error_code: int = 0
    expiry_timestamp_ms: int = 0
    throttle_time_ms: int = 0

    FIELDS = (
        Field("error_code", "int16"),
        Field("expiry_timestamp_ms", "int64"),
        Field("throttle_time_ms", "int32"),
    )
    NAME = "RenewDelegationTokenResponse"
    API_KEY = 39
    VERSIONS = (1, 2)
    FLEXIBLE = 2
