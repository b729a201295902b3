"""RemoteLogSegmentMetadataUpdateRecord (metadata, number 1), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from msgspec import field

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


class TopicIdPartitionEntry(WireStruct):
    name: str = ""
    id: bytes = ZERO_UUID
    partition: int = 0

    FIELDS = (
        Field("name", "string"),
        Field("id", "uuid"),
        Field("partition", "int32"),
    )


class RemoteLogSegmentIdEntry(WireStruct):
    topic_id_partition: TopicIdPartitionEntry = field(default_factory=TopicIdPartitionEntry)
    id: bytes = ZERO_UUID

    FIELDS = (
        Field("topic_id_partition", TopicIdPartitionEntry),
        Field("id", "uuid"),
    )


class RemoteLogSegmentMetadataUpdateRecord(Message):
    remote_log_segment_id: RemoteLogSegmentIdEntry = field(default_factory=RemoteLogSegmentIdEntry)
    broker_id: int = 0
    event_timestamp_ms: int = 0
    custom_metadata: bytes | None = None
    remote_log_segment_state: int = 0

    FIELDS = (
        Field("remote_log_segment_id", RemoteLogSegmentIdEntry),
        Field("broker_id", "int32"),
        Field("event_timestamp_ms", "int64"),
        Field("custom_metadata", "bytes", nullable=(0, LAST), default=None),
        Field("remote_log_segment_state", "int8"),
    )
    NAME = "RemoteLogSegmentMetadataUpdateRecord"
    API_KEY = 1
    VERSIONS = (0, 0)
    FLEXIBLE = 0
