"""EnvelopeResponse (response, key 58), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message


class EnvelopeResponse(Message):
    response_data: bytes | None = None
    error_code: int = 0

    FIELDS = (
        Field("response_data", "bytes", nullable=(0, LAST), default=None),
        Field("error_code", "int16"),
    )
    NAME = "EnvelopeResponse"
    API_KEY = 58
    VERSIONS = (0, 0)
    FLEXIBLE = 0
