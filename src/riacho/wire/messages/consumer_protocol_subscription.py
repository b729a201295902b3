"""ConsumerProtocolSubscription (data), v0-3.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class TopicPartition(WireStruct):
    topic: str = ""
    partitions: list[int] = []

    FIELDS = (
        Field("topic", "string", (1, LAST)),
        Field("partitions", "int32", (1, LAST), array=True),
    )


class ConsumerProtocolSubscription(Message):
    topics: list[str] = []
    user_data: bytes | None = None
    owned_partitions: list[TopicPartition] = []
    generation_id: int = -1
    rack_id: str | None = None

    FIELDS = (
        Field("topics", "string", array=True),
        Field("user_data", "bytes", nullable=(0, LAST), default=None),
        Field("owned_partitions", TopicPartition, (1, LAST), array=True, ignorable=True),
        Field("generation_id", "int32", (2, LAST), default=-1, ignorable=True),
        Field("rack_id", "string", (3, LAST), nullable=(3, LAST), default=None, ignorable=True),
    )
    NAME = "ConsumerProtocolSubscription"
    VERSIONS = (0, 3)
