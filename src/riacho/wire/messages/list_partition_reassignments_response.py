"""ListPartitionReassignmentsResponse (response, key 46), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class OngoingPartitionReassignment(WireStruct):
    partition_index: int = 0
    replicas: list[int] = []
    adding_replicas: list[int] = []
    removing_replicas: list[int] = []

    FIELDS = (
        Field("partition_index", "int32"),
        Field("replicas", "int32", array=True),
        Field("adding_replicas", "int32", array=True),
        Field("removing_replicas", "int32", array=True),
    )


class OngoingTopicReassignment(WireStruct):
    name: str = ""
    partitions: list[OngoingPartitionReassignment] = []

    FIELDS = (
        Field("name", "string"),
        Field("partitions", OngoingPartitionReassignment, array=True),
    )


class ListPartitionReassignmentsResponse(Message):
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""
    topics: list[OngoingTopicReassignment] = []

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST)),
        Field("topics", OngoingTopicReassignment, array=True),
    )
    NAME = "ListPartitionReassignmentsResponse"
    API_KEY = 46
    VERSIONS = (0, 0)
    FLEXIBLE = 0
