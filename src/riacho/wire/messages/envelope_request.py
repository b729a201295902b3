"""EnvelopeRequest (request, key 58), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message


class EnvelopeRequest(Message):
    request_data: bytes = b""
    request_principal: bytes | None = b""
    client_host_address: bytes = b""

    FIELDS = (
        Field("request_data", "bytes"),
        Field("request_principal", "bytes", nullable=(0, LAST)),
        Field("client_host_address", "bytes"),
    )
    NAME = "EnvelopeRequest"
    API_KEY = 58
    VERSIONS = (0, 0)
    FLEXIBLE = 0
