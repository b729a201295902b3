"""ShareGroupTargetAssignmentMemberValue (coordinator value, number 13), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import Field, Message, WireStruct


class TopicPartition(WireStruct):
    topic_id: bytes = ZERO_UUID
    partitions: list[int] = []

    FIELDS = (
        Field("topic_id", "uuid"),
        Field("partitions", "int32", array=True),
    )


class ShareGroupTargetAssignmentMemberValue(Message):
    topic_partitions: list[TopicPartition] = []

    FIELDS = (Field("topic_partitions", TopicPartition, array=True),)
    NAME = "ShareGroupTargetAssignmentMemberValue"
    API_KEY = 13
    VERSIONS = (0, 0)
    FLEXIBLE = 0
