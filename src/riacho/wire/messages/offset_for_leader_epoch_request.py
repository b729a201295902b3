"""OffsetForLeaderEpochRequest (request, key 23), v2-4.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class OffsetForLeaderPartition(WireStruct):
    partition: int = 0
    current_leader_epoch: int = -1
    leader_epoch: int = 0

    FIELDS = (
        Field("partition", "int32"),
        Field("current_leader_epoch", "int32", (2, LAST), default=-1, ignorable=True),
        Field("leader_epoch", "int32"),
    )


class OffsetForLeaderTopic(WireStruct):
    topic: str = ""
    partitions: list[OffsetForLeaderPartition] = []

    FIELDS = (
        Field("topic", "string"),
        Field("partitions", OffsetForLeaderPartition, array=True),
    )


class OffsetForLeaderEpochRequest(Message):
    replica_id: int = -2
    topics: list[OffsetForLeaderTopic] = []

    FIELDS = (
        Field("replica_id", "int32", (3, LAST), default=-2, ignorable=True),
        Field("topics", OffsetForLeaderTopic, array=True),
    )
    NAME = "OffsetForLeaderEpochRequest"
    API_KEY = 23
    VERSIONS = (2, 4)
    FLEXIBLE = 4
