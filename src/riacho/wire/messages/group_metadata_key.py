"""GroupMetadataKey (coordinator key, number 2), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class GroupMetadataKey(Message):
    group: str = ""

    FIELDS = (Field("group", "string", (0, 0)),)
    NAME = "GroupMetadataKey"
    API_KEY = 2
    VERSIONS = (0, 0)
