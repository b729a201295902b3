"""ShareUpdateKey (coordinator key, number 1), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import Field, Message


class ShareUpdateKey(Message):
    group_id: str = ""
    topic_id: bytes = ZERO_UUID
    partition: int = 0

    FIELDS = (
        Field("group_id", "string", (0, 0)),
        Field("topic_id", "uuid", (0, 0)),
        Field("partition", "int32", (0, 0)),
    )
    NAME = "ShareUpdateKey"
    API_KEY = 1
    VERSIONS = (0, 0)
