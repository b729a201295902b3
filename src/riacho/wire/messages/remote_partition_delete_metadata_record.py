"""RemotePartitionDeleteMetadataRecord (metadata, number 2), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from msgspec import field

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import Field, Message, WireStruct


class TopicIdPartitionEntry(WireStruct):
    name: str = ""
    id: bytes = ZERO_UUID
    partition: int = 0

    FIELDS = (
        Field("name", "string"),
        Field("id", "uuid"),
        Field("partition", "int32"),
    )


class RemotePartitionDeleteMetadataRecord(Message):
    topic_id_partition: TopicIdPartitionEntry = field(default_factory=TopicIdPartitionEntry)
    broker_id: int = 0
    event_timestamp_ms: int = 0
    remote_partition_delete_state: int = 0

    FIELDS = (
        Field("topic_id_partition", TopicIdPartitionEntry),
        Field("broker_id", "int32"),
        Field("event_timestamp_ms", "int64"),
        Field("remote_partition_delete_state", "int8"),
    )
    NAME = "RemotePartitionDeleteMetadataRecord"
    API_KEY = 2
    VERSIONS = (0, 0)
    FLEXIBLE = 0
