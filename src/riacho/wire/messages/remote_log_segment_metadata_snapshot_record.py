"""RemoteLogSegmentMetadataSnapshotRecord (metadata, number 3), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


class SegmentLeaderEpochEntry(WireStruct):
    leader_epoch: int = 0
    offset: int = 0

    FIELDS = (
        Field("leader_epoch", "int32"),
        Field("offset", "int64"),
    )


class RemoteLogSegmentMetadataSnapshotRecord(Message):
    segment_id: bytes = ZERO_UUID
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
        Field("segment_id", "uuid"),
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
    NAME = "RemoteLogSegmentMetadataSnapshotRecord"
    API_KEY = 3
    VERSIONS = (0, 0)
    FLEXIBLE = 0
