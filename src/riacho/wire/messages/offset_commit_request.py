"""OffsetCommitRequest (request, key 8), v2-10.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


class OffsetCommitRequestPartition(WireStruct):
    partition_index: int = 0
    committed_offset: int = 0
    committed_leader_epoch: int = -1
    committed_metadata: str | None = ""

    FIELDS = (
        Field("partition_index", "int32"),
        Field("committed_offset", "int64"),
        Field("committed_leader_epoch", "int32", (6, LAST), default=-1, ignorable=True),
        Field("committed_metadata", "string", nullable=(0, LAST)),
    )


class OffsetCommitRequestTopic(WireStruct):
    name: str = ""
    topic_id: bytes = ZERO_UUID
    partitions: list[OffsetCommitRequestPartition] = []

    FIELDS = (
        Field("name", "string", (0, 9), ignorable=True),
        Field("topic_id", "uuid", (10, LAST), ignorable=True),
        Field("partitions", OffsetCommitRequestPartition, array=True),
    )


class OffsetCommitRequest(Message):
    group_id: str = ""
    generation_id_or_member_epoch: int = -1
    member_id: str = ""
    group_instance_id: str | None = None
    retention_time_ms: int = -1
    topics: list[OffsetCommitRequestTopic] = []

    FIELDS = (
        Field("group_id", "string"),
        Field("generation_id_or_member_epoch", "int32", (1, LAST), default=-1, ignorable=True),
        Field("member_id", "string", (1, LAST), ignorable=True),
        Field("group_instance_id", "string", (7, LAST), nullable=(7, LAST), default=None),
        Field("retention_time_ms", "int64", (2, 4), default=-1, ignorable=True),
        Field("topics", OffsetCommitRequestTopic, array=True),
    )
    NAME = "OffsetCommitRequest"
    API_KEY = 8
    VERSIONS = (2, 10)
    FLEXIBLE = 8
