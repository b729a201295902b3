"""RemoteLogSegmentMetadataRecord (metadata, number 0), v0.

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


class SegmentLeaderEpochEntry(WireStruct):
    leader_epoch: int = 0
    offset: int = 0

    FIELDS = (
        Field("leader_epoch", "int32"),
        Field("offset", "int64"),
    )


class RemoteLogSegmentMetadataRecord(Message):
    remote_log_segment_id: RemoteLogSegmentIdEntry = field(default_factory=RemoteLogSegmentIdEntry)
    start_offset: int = 0
    end_offset: int = 0
    broker_id: int = 0
    max_timestamp_ms: int = 0
    event_timestamp_ms: int = 0
    segment_leader_epochs: list[SegmentLeaderEpochEntry] = []
    segment_size_in_bytes: int = 0
    custom_metadata: bytes | None = None
    remote_log_segment_state: int = 0
    txn_index_empty: bool = False

    FIELDS = (
        Field("remote_log_segment_id", RemoteLogSegmentIdEntry),
        Field("start_offset", "int64"),
        Field("end_offset", "int64"),
        Field("broker_id", "int32"),
        Field("max_timestamp_ms", "int64"),
        Field("event_timestamp_ms", "int64"),
        Field("segment_leader_epochs", SegmentLeaderEpochEntry, array=True),
        Field("segment_size_in_bytes", "int32"),
        Field("custom_metadata", "bytes", nullable=(0, LAST), default=None),
        Field("remote_log_segment_state", "int8"),
        Field("txn_index_empty", "bool", tag=0),
    )
    NAME = "RemoteLogSegmentMetadataRecord"
    API_KEY = 0
    VERSIONS = (0, 0)
    FLEXIBLE = 0
