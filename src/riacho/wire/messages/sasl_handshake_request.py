"""SaslHandshakeRequest (request, key 17), v0-1.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class SaslHandshakeRequest(Message):
    mechanism: str = ""

    FIELDS = (Field("mechanism", "string"),)
    NAME = "SaslHandshakeRequest"
    API_KEY = 17
    VERSIONS = (0, 1)
