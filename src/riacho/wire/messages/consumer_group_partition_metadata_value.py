"""ConsumerGroupPartitionMetadataValue (coordinator value, number 4), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import Field, Message, WireStruct


class PartitionMetadata(WireStruct):
    partition: int = 0
    racks: list[str] = []

    FIELDS = (
        Field("partition", "int32"),
        Field("racks", "string", array=True),
    )


class TopicMetadata(WireStruct):
    topic_id: bytes = ZERO_UUID
    topic_name: str = ""
    num_partitions: int = 0
    partition_metadata: list[PartitionMetadata] = []

    FIELDS = (
        Field("topic_id", "uuid"),
        Field("topic_name", "string"),
        Field("num_partitions", "int32"),
        Field("partition_metadata", PartitionMetadata, array=True),
    )


class ConsumerGroupPartitionMetadataValue(Message):
    topics: list[TopicMetadata] = []

    FIELDS = (Field("topics", TopicMetadata, array=True),)
    NAME = "ConsumerGroupPartitionMetadataValue"
    API_KEY = 4
    VERSIONS = (0, 0)
    FLEXIBLE = 0
