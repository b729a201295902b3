"""ShareGroupStatePartitionMetadataKey (coordinator key, number 15), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class ShareGroupStatePartitionMetadataKey(Message):
    group_id: str = ""

    FIELDS = (Field("group_id", "string", (0, 0)),)
    NAME = "ShareGroupStatePartitionMetadataKey"
    API_KEY = 15
    VERSIONS = (0, 0)
