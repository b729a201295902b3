"""LegacyOffsetCommitValue (coordinator value, number 0), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class LegacyOffsetCommitValue(Message):
    offset: int = 0
    metadata: str = ""
    commit_timestamp: int = 0

    FIELDS = (
        Field("offset", "int64", (0, 0)),
        Field("metadata", "string", (0, 0)),
        Field("commit_timestamp", "int64", (0, 0)),
    )
    NAME = "LegacyOffsetCommitValue"
    API_KEY = 0
    VERSIONS = (0, 0)
