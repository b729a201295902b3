"""ConsumerGroupMetadataKey (coordinator key, number 3), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class ConsumerGroupMetadataKey(Message):
    group_id: str = ""

    FIELDS = (Field("group_id", "string", (0, 0)),)
    NAME = "ConsumerGroupMetadataKey"
    API_KEY = 3
    VERSIONS = (0, 0)
