"""ConsumerGroupCurrentMemberAssignmentValue (coordinator value, number 8), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


class TopicPartitions(WireStruct):
    topic_id: bytes = ZERO_UUID
    partitions: list[int] = []
    assignment_epochs: list[int] | None = None

    FIELDS = (
        Field("topic_id", "uuid"),
        Field("partitions", "int32", array=True),
        Field("assignment_epochs", "int32", array=True, nullable=(0, LAST), tag=0, default=None),
    )


class ConsumerGroupCurrentMemberAssignmentValue(Message):
    member_epoch: int = 0
    previous_member_epoch: int = 0
    state: int = 0
    assigned_partitions: list[TopicPartitions] = []
    partitions_pending_revocation: list[TopicPartitions] = []

    FIELDS = (
        Field("member_epoch", "int32"),
        Field("previous_member_epoch", "int32"),
        Field("state", "int8"),
        Field("assigned_partitions", TopicPartitions, array=True),
        Field("partitions_pending_revocation", TopicPartitions, array=True),
    )
    NAME = "ConsumerGroupCurrentMemberAssignmentValue"
    API_KEY = 8
    VERSIONS = (0, 0)
    FLEXIBLE = 0
