"""ConsumerGroupRegularExpressionValue (coordinator value, number 16), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class ConsumerGroupRegularExpressionValue(Message):
    topics: list[str] = []
    version: int = 0
    timestamp: int = 0

    FIELDS = (
        Field("topics", "string", array=True),
        Field("version", "int64"),
        Field("timestamp", "int64"),
    )
    NAME = "ConsumerGroupRegularExpressionValue"
    API_KEY = 16
    VERSIONS = (0, 0)
    FLEXIBLE = 0
