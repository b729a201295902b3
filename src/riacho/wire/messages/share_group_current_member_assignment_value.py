"""ShareGroupCurrentMemberAssignmentValue (coordinator value, number 14), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import Field, Message, WireStruct


class TopicPartitions(WireStruct):
    topic_id: bytes = ZERO_UUID
    partitions: list[int] = []

    FIELDS = (
        Field("topic_id", "uuid"),
        Field("partitions", "int32", array=True),
    )


class ShareGroupCurrentMemberAssignmentValue(Message):
    member_epoch: int = 0
    previous_member_epoch: int = 0
    state: int = 0
    assigned_partitions: list[TopicPartitions] = []

    FIELDS = (
        Field("member_epoch", "int32"),
        Field("previous_member_epoch", "int32"),
        Field("state", "int8"),
        Field("assigned_partitions", TopicPartitions, array=True),
    )
    NAME = "ShareGroupCurrentMemberAssignmentValue"
    API_KEY = 14
    VERSIONS = (0, 0)
    FLEXIBLE = 0
