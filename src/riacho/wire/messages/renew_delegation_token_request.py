"""RenewDelegationTokenRequest (request, key 39), v1-2.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class RenewDelegationTokenRequest(Message):
    hmac: bytes = b""
    renew_period_ms: int = 0

    FIELDS = (
        Field("hmac", "bytes"),
        Field("renew_period_ms", "int64"),
    )
    NAME = "RenewDelegationTokenRequest"
    API_KEY = 39
    VERSIONS = (1, 2)
    FLEXIBLE = 2
