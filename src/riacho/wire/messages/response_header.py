"""ResponseHeader (header), v0-1.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class ResponseHeader(Message):
    correlation_id: int = 0

    FIELDS = (Field("correlation_id", "int32"),)
    NAME = "ResponseHeader"
    VERSIONS = (0, 1)
    FLEXIBLE = 1
