"""ShareGroupMetadataValue (coordinator value, number 11), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class ShareGroupMetadataValue(Message):
    epoch: int = 0
    metadata_hash: int = 0

    FIELDS = (
        Field("epoch", "int32"),
        Field("metadata_hash", "int64"),
    )
    NAME = "ShareGroupMetadataValue"
    API_KEY = 11
    VERSIONS = (0, 0)
    FLEXIBLE = 0
