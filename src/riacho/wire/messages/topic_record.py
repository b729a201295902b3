"""TopicRecord (metadata, number 2), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import Field, Message


class TopicRecord(Message):
    name: str = ""
    topic_id: bytes = ZERO_UUID

    FIELDS = (
        Field("name", "string"),
        Field("topic_id", "uuid"),
    )
    NAME = "TopicRecord"
    API_KEY = 2
    VERSIONS = (0, 0)
    FLEXIBLE = 0
