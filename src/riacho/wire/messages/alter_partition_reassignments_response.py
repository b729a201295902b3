"""AlterPartitionReassignmentsResponse (response, key 45), v0-1.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class ReassignablePartitionResponse(WireStruct):
    partition_index: int = 0
    error_code: int = 0
    error_message: str | None = ""

    FIELDS = (
        Field("partition_index", "int32"),
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST)),
    )


class ReassignableTopicResponse(WireStruct):
    name: str = ""
    partitions: list[ReassignablePartitionResponse] = []

    FIELDS = (
        Field("name", "string"),
        Field("partitions", ReassignablePartitionResponse, array=True),
    )


class AlterPartitionReassignmentsResponse(Message):
    throttle_time_ms: int = 0
    allow_replication_factor_change: bool = True
    error_code: int = 0
    error_message: str | None = ""
    responses: list[ReassignableTopicResponse] = []

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("allow_replication_factor_change", "bool", (1, LAST), default=True, ignorable=True),
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST)),
        Field("responses", ReassignableTopicResponse, array=True),
    )
    NAME = "AlterPartitionReassignmentsResponse"
    API_KEY = 45
    VERSIONS = (0, 1)
    FLEXIBLE = 0
