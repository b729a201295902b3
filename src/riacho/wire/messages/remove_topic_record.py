"""RemoveTopicRecord (metadata, number 9), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import Field, Message


class RemoveTopicRecord(Message):
    topic_id: bytes = ZERO_UUID

    FIELDS = (Field("topic_id", "uuid"),)
    NAME = "RemoveTopicRecord"
    API_KEY = 9
    VERSIONS = (0, 0)
    FLEXIBLE = 0
