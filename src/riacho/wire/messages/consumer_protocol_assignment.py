"""ConsumerProtocolAssignment (data), v0-3.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class TopicPartition(WireStruct):
    topic: str = ""
    partitions: list[int] = []

    FIELDS = (
        Field("topic", "string"),
        Field("partitions", "int32", array=True),
    )


class ConsumerProtocolAssignment(Message):
    assigned_partitions: list[TopicPartition] = []
    user_data: bytes | None = None

    FIELDS = (
        Field("assigned_partitions", TopicPartition, array=True),
        Field("user_data", "bytes", nullable=(0, LAST), default=None),
    )
    NAME = "ConsumerProtocolAssignment"
    VERSIONS = (0, 3)
