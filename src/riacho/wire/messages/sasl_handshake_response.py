"""SaslHandshakeResponse (response, key 17), v0-1.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class SaslHandshakeResponse(Message):
    error_code: int = 0
    mechanisms: list[str] = []

    FIELDS = (
        Field("error_code", "int16"),
        Field("mechanisms", "string", array=True),
    )
    NAME = "SaslHandshakeResponse"
    API_KEY = 17
    VERSIONS = (0, 1)
