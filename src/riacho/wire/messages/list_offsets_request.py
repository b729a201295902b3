"""ListOffsetsRequest (request, key 2), v1-11.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class ListOffsetsPartition(WireStruct):
    partition_index: int = 0
    current_leader_epoch: int = -1
    timestamp: int = 0

    FIELDS = (
        Field("partition_index", "int32"),
        Field("current_leader_epoch", "int32", (4, LAST), default=-1, ignorable=True),
        Field("timestamp", "int64"),
    )


class ListOffsetsTopic(WireStruct):
    name: str = ""
    partitions: list[ListOffsetsPartition] = []

    FIELDS = (
        Field("name", "string"),
        Field("partitions", ListOffsetsPartition, array=True),
    )


class ListOffsetsRequest(Message):
    replica_id: int = 0
    isolation_level: int = 0
    topics: list[ListOffsetsTopic] = []
    timeout_ms: int = 0

    FIELDS = (
        Field("replica_id", "int32"),
        Field("isolation_level", "int8", (2, LAST)),
        Field("topics", ListOffsetsTopic, array=True),
        Field("timeout_ms", "int32", (10, LAST), ignorable=True),
    )
    NAME = "ListOffsetsRequest"
    API_KEY = 2
    VERSIONS = (1, 11)
    FLEXIBLE = 6
