"""FetchSnapshotRequest (request, key 59), v0-1.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from msgspec import field

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


class SnapshotId(WireStruct):
    end_offset: int = 0
    epoch: int = 0

    FIELDS = (
        Field("end_offset", "int64"),
        Field("epoch", "int32"),
    )


class PartitionSnapshot(WireStruct):
    partition: int = 0
    current_leader_epoch: int = 0
    snapshot_id: SnapshotId = field(default_factory=SnapshotId)
    position: int = 0
    replica_directory_id: bytes = ZERO_UUID

    FIELDS = (
        Field("partition", "int32"),
        Field("current_leader_epoch", "int32"),
        Field("snapshot_id", SnapshotId),
        Field("position", "int64"),
        Field("replica_directory_id", "uuid", (1, LAST), tag=0, ignorable=True),
    )


class TopicSnapshot(WireStruct):
    name: str = ""
    partitions: list[PartitionSnapshot] = []

    FIELDS = (
        Field("name", "string"),
        Field("partitions", PartitionSnapshot, array=True),
    )


class FetchSnapshotRequest(Message):
    cluster_id: str | None = None
    replica_id: int = -1
    max_bytes: int = 2147483647
    topics: list[TopicSnapshot] = []

    FIELDS = (
        Field("cluster_id", "string", nullable=(0, LAST), tag=0, default=None),
        Field("replica_id", "int32", default=-1),
        Field("max_bytes", "int32", default=2147483647),
        Field("topics", TopicSnapshot, array=True),
    )
    NAME = "FetchSnapshotRequest"
    API_KEY = 59
    VERSIONS = (0, 1)
    FLEXIBLE = 0
