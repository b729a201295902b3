"""FetchResponse (response, key 1), v4-18.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from msgspec import field

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, Records, WireStruct


class EpochEndOffset(WireStruct):
    epoch: int = -1
    end_offset: int = -1

    FIELDS = (
        Field("epoch", "int32", (12, LAST), default=-1),
        Field("end_offset", "int64", (12, LAST), default=-1),
    )


class LeaderIdAndEpoch(WireStruct):
    leader_id: int = -1
    leader_epoch: int = -1

    FIELDS = (
        Field("leader_id", "int32", (12, LAST), default=-1),
        Field("leader_epoch", "int32", (12, LAST), default=-1),
    )


class SnapshotId(WireStruct):
    end_offset: int = -1
    epoch: int = -1

    FIELDS = (
        Field("end_offset", "int64", default=-1),
        Field("epoch", "int32", default=-1),
    )


class AbortedTransaction(WireStruct):
    producer_id: int = 0
    first_offset: int = 0

    FIELDS = (
        Field("producer_id", "int64", (4, LAST)),
        Field("first_offset", "int64", (4, LAST)),
    )


class PartitionData(WireStruct):
    partition_index: int = 0
    error_code: int = 0
    high_watermark: int = 0
    last_stable_offset: int = -1
    log_start_offset: int = -1
    diverging_epoch: EpochEndOffset = field(default_factory=EpochEndOffset)
    current_leader: LeaderIdAndEpoch = field(default_factory=LeaderIdAndEpoch)
    snapshot_id: SnapshotId = field(default_factory=SnapshotId)
    aborted_transactions: list[AbortedTransaction] | None = []
    preferred_read_replica: int = -1
    records: Records | None = None

    FIELDS = (
        Field("partition_index", "int32"),
        Field("error_code", "int16"),
        Field("high_watermark", "int64"),
        Field("last_stable_offset", "int64", (4, LAST), default=-1, ignorable=True),
        Field("log_start_offset", "int64", (5, LAST), default=-1, ignorable=True),
        Field("diverging_epoch", EpochEndOffset, (12, LAST), tag=0),
        Field("current_leader", LeaderIdAndEpoch, (12, LAST), tag=1),
        Field("snapshot_id", SnapshotId, (12, LAST), tag=2),
        Field("aborted_transactions", AbortedTransaction, (4, LAST), array=True, nullable=(4, LAST), ignorable=True),
        Field("preferred_read_replica", "int32", (11, LAST), default=-1),
        Field("records", "records", nullable=(0, LAST)),
    )


class FetchableTopicResponse(WireStruct):
    topic: str = ""
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionData] = []

    FIELDS = (
        Field("topic", "string", (0, 12), ignorable=True),
        Field("topic_id", "uuid", (13, LAST), ignorable=True),
        Field("partitions", PartitionData, array=True),
    )


class NodeEndpoint(WireStruct):
    node_id: int = 0
    host: str = ""
    port: int = 0
    rack: str | None = None

    FIELDS = (
        Field("node_id", "int32", (16, LAST)),
        Field("host", "string", (16, LAST)),
        Field("port", "int32", (16, LAST)),
        Field("rack", "string", (16, LAST), nullable=(16, LAST), default=None),
    )


class FetchResponse(Message):
    throttle_time_ms: int = 0
    error_code: int = 0
    session_id: int = 0
    responses: list[FetchableTopicResponse] = []
    node_endpoints: list[NodeEndpoint] = []

    FIELDS = (
        Field("throttle_time_ms", "int32", (1, LAST), ignorable=True),
        Field("error_code", "int16", (7, LAST), ignorable=True),
        Field("session_id", "int32", (7, LAST)),
        Field("responses", FetchableTopicResponse, array=True),
        Field("node_endpoints", NodeEndpoint, (16, LAST), array=True, tag=0),
    )
    NAME = "FetchResponse"
    API_KEY = 1
    VERSIONS = (4, 18)
    FLEXIBLE = 12
