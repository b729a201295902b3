"""ConsumerGroupRegularExpressionKey (coordinator key, number 16), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class ConsumerGroupRegularExpressionKey(Message):
    group_id: str = ""
    regular_expression: str = ""

    FIELDS = (
        Field("group_id", "string", (0, 0)),
        Field("regular_expression", "string", (0, 0)),
    )
    NAME = "ConsumerGroupRegularExpressionKey"
    API_KEY = 16
    VERSIONS = (0, 0)
