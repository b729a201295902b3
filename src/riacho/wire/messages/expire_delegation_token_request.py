"""ExpireDelegationTokenRequest (request, key 40), v1-2.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class ExpireDelegationTokenRequest(Message):
    hmac: bytes = b""
    expiry_time_period_ms: int = 0

    FIELDS = (
        Field("hmac", "bytes"),
        Field("expiry_time_period_ms", "int64"),
    )
    NAME = "ExpireDelegationTokenRequest"
    API_KEY = 40
    VERSIONS = (1, 2)
    FLEXIBLE = 2
