"""OffsetCommitKey (coordinator key, number 1), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class OffsetCommitKey(Message):
    group: str = ""
    topic: str = ""
    partition: int = 0

    FIELDS = (
        Field("group", "string", (0, 0)),
        Field("topic", "string", (0, 0)),
        Field("partition", "int32", (0, 0)),
    )
    NAME = "OffsetCommitKey"
    API_KEY = 1
    VERSIONS = (0, 0)
