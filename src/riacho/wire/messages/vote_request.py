"""VoteRequest (request, key 52), v0-2.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


class PartitionData(WireStruct):
    partition_index: int = 0
    replica_epoch: int = 0
    replica_id: int = 0
    replica_directory_id: bytes = ZERO_UUID
    voter_directory_id: bytes = ZERO_UUID
    last_offset_epoch: int = 0
    last_offset: int = 0
    pre_vote: bool = False

    FIELDS = (
        Field("partition_index", "int32"),
        Field("replica_epoch", "int32"),
        Field("replica_id", "int32"),
        Field("replica_directory_id", "uuid", (1, LAST), ignorable=True),
        Field("voter_directory_id", "uuid", (1, LAST), ignorable=True),
        Field("last_offset_epoch", "int32"),
        Field("last_offset", "int64"),
        Field("pre_vote", "bool", (2, LAST)),
    )


class TopicData(WireStruct):
    topic_name: str = ""
    partitions: list[PartitionData] = []

    FIELDS = (
        Field("topic_name", "string"),
        Field("partitions", PartitionData, array=True),
    )


class VoteRequest(Message):
    cluster_id: str | None = None
    voter_id: int = -1
    topics: list[TopicData] = []

    FIELDS = (
        Field("cluster_id", "string", nullable=(0, LAST), default=None),
        Field("voter_id", "int32", (1, LAST), default=-1, ignorable=True),
        Field("topics", TopicData, array=True),
    )
    NAME = "VoteRequest"
    API_KEY = 52
    VERSIONS = (0, 2)
    FLEXIBLE = 0
