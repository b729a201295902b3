"""ShareGroupMetadataKey (coordinator key, number 11), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class ShareGroupMetadataKey(Message):
    group_id: str = ""

    FIELDS = (Field("group_id", "string", (0, 0)),)
    NAME = "ShareGroupMetadataKey"
    API_KEY = 11
    VERSIONS = (0, 0)
