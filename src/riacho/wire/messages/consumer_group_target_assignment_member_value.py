"""ConsumerGroupTargetAssignmentMemberValue (coordinator value, number 7), v0.

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


class ConsumerGroupTargetAssignmentMemberValue(Message):
    topic_partitions: list[TopicPartition] = []

    FIELDS = (Field("topic_partitions", TopicPartition, array=True),)
    NAME = "ConsumerGroupTargetAssignmentMemberValue"
    API_KEY = 7
    VERSIONS = (0, 0)
    FLEXIBLE = 0
