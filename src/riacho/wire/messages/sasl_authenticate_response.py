"""SaslAuthenticateResponse (response, key 36), v0-2.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message


class SaslAuthenticateResponse(Message):
    error_code: int = 0
    error_message: str | None = ""
    auth_bytes: bytes = b""
    session_lifetime_ms: int = 0

    FIELDS = (
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST)),
        Field("auth_bytes", "bytes"),
        Field("session_lifetime_ms", "int64", (1, LAST), ignorable=True),
    )
    NAME = "SaslAuthenticateResponse"
    API_KEY = 36
    VERSIONS = (0, 2)
    FLEXIBLE = 2
