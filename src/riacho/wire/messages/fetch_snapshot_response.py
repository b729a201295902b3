"""FetchSnapshotResponse (response, key 59), v0-1.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from msgspec import field

from riacho.wire.schema import LAST, Field, Message, Records, WireStruct


class SnapshotId(WireStruct):
    end_offset: int = 0
    epoch: int = 0

    FIELDS = (
        Field("end_offset", "int64"),
        Field("epoch", "int32"),
    )


class LeaderIdAndEpoch(WireStruct):
    leader_id: int = 0
    leader_epoch: int = 0

    FIELDS = (
        Field("leader_id", "int32"),
        Field("leader_epoch", "int32"),
    )


class PartitionSnapshot(WireStruct):
    index: int = 0
    error_code: int = 0
    snapshot_id: SnapshotId = field(default_factory=SnapshotId)
    current_leader: LeaderIdAndEpoch = field(default_factory=LeaderIdAndEpoch)
    size: int = 0
    position: int = 0
    unaligned_records: Records | None = None

    FIELDS = (
        Field("index", "int32"),
        Field("error_code", "int16"),
        Field("snapshot_id", SnapshotId),
        Field("current_leader", LeaderIdAndEpoch, tag=0),
        Field("size", "int64"),
        Field("position", "int64"),
        Field("unaligned_records", "records"),
    )


class TopicSnapshot(WireStruct):
    name: str = ""
    partitions: list[PartitionSnapshot] = []

    FIELDS = (
        Field("name", "string"),
        Field("partitions", PartitionSnapshot, array=True),
    )


class NodeEndpoint(WireStruct):
    node_id: int = 0
    host: str = ""
    port: int = 0

    FIELDS = (
        Field("node_id", "int32", (1, LAST)),
        Field("host", "string", (1, LAST)),
        Field("port", "uint16", (1, LAST)),
    )


class FetchSnapshotResponse(Message):
    throttle_time_ms: int = 0
    error_code: int = 0
    topics: list[TopicSnapshot] = []
    node_endpoints: list[NodeEndpoint] = []

    FIELDS = (
        Field("throttle_time_ms", "int32", ignorable=True),
        Field("error_code", "int16"),
        Field("topics", TopicSnapshot, array=True),
        Field("node_endpoints", NodeEndpoint, (1, LAST), array=True, tag=0),
    )
    NAME = "FetchSnapshotResponse"
    API_KEY = 59
    VERSIONS = (0, 1)
    FLEXIBLE = 0
