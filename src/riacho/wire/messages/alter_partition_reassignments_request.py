"""AlterPartitionReassignmentsRequest (request, key 45), v0-1.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class ReassignablePartition(WireStruct):
    partition_index: int = 0
    replicas: list[int] | None = None

    FIELDS = (
        Field("partition_index", "int32"),
        Field("replicas", "int32", array=True, nullable=(0, LAST), default=None),
    )


class ReassignableTopic(WireStruct):
    name: str = ""
    partitions: list[ReassignablePartition] = []

    FIELDS = (
        Field("name", "string"),
        Field("partitions", ReassignablePartition, array=True),
    )


class AlterPartitionReassignmentsRequest(Message):
    timeout_ms: int = 60000
    allow_replication_factor_change: bool = True
    topics: list[ReassignableTopic] = []

    FIELDS = (
        Field("timeout_ms", "int32", default=60000),
        Field("allow_replication_factor_change", "bool", (1, LAST), default=True),
        Field("topics", ReassignableTopic, array=True),
    )
    NAME = "AlterPartitionReassignmentsRequest"
    API_KEY = 45
    VERSIONS = (0, 1)
    FLEXIBLE = 0
