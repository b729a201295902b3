"""ConsumerGroupPartitionMetadataKey (coordinator key, number 4), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class ConsumerGroupPartitionMetadataKey(Message):
    group_id: str = ""

    FIELDS = (Field("group_id", "string", (0, 0)),)
    NAME = "ConsumerGroupPartitionMetadataKey"
    API_KEY = 4
    VERSIONS = (0, 0)
