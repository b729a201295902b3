"""SaslAuthenticateRequest (request, key 36), v0-2.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class SaslAuthenticateRequest(Message):
    auth_bytes: bytes = b""

    FIELDS = (Field("auth_bytes", "bytes"),)
    NAME = "SaslAuthenticateRequest"
    API_KEY = 36
    VERSIONS = (0, 2)
    FLEXIBLE = 2
