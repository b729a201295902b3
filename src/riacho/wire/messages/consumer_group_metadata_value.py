"""ConsumerGroupMetadataValue (coordinator value, number 3), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class ConsumerGroupMetadataValue(Message):
    epoch: int = 0
    metadata_hash: int = 0

    FIELDS = (
        Field("epoch", "int32"),
        Field("metadata_hash", "int64", tag=0),
    )
    NAME = "ConsumerGroupMetadataValue"
    API_KEY = 3
    VERSIONS = (0, 0)
    FLEXIBLE = 0
