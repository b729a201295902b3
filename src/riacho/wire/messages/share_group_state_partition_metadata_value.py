"""ShareGroupStatePartitionMetadataValue (coordinator value, number 15), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import Field, Message, WireStruct


class TopicPartitionsInfo(WireStruct):
    topic_id: bytes = ZERO_UUID
    topic_name: str = ""
    partitions: list[int] = []

    FIELDS = (
        Field("topic_id", "uuid"),
        Field("topic_name", "string"),
        Field("partitions", "int32", array=True),
    )


class TopicInfo(WireStruct):
    topic_id: bytes = ZERO_UUID
    topic_name: str = ""

    FIELDS = (
        Field("topic_id", "uuid"),
        Field("topic_name", "string"),
    )


class ShareGroupStatePartitionMetadataValue(Message):
    initializing_topics: list[TopicPartitionsInfo] = []
    initialized_topics: list[TopicPartitionsInfo] = []
    deleting_topics: list[TopicInfo] = []

    FIELDS = (
        Field("initializing_topics", TopicPartitionsInfo, array=True),
        Field("initialized_topics", TopicPartitionsInfo, array=True),
        Field("deleting_topics", TopicInfo, array=True),
    )
    NAME = "ShareGroupStatePartitionMetadataValue"
    API_KEY = 15
    VERSIONS = (0, 0)
    FLEXIBLE = 0
