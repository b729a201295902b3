"""StreamsGroupMetadataKey (coordinator key, number 17), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class StreamsGroupMetadataKey(Message):
    group_id: str = ""

    FIELDS = (Field("group_id", "string", (0, 0)),)
    NAME = "StreamsGroupMetadataKey"
    API_KEY = 17
    VERSIONS = (0, 0)
