"""LegacyOffsetCommitKey (coordinator key, number 0), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class LegacyOffsetCommitKey(Message):
    group: str = ""
    topic: str = ""
    partition: int = 0

    FIELDS = (
        Field("group", "string", (0, 0)),
        Field("topic", "string", (0, 0)),
        Field("partition", "int32", (0, 0)),
    )
    NAME = "LegacyOffsetCommitKey"
    API_KEY = 0
    VERSIONS = (0, 0)
