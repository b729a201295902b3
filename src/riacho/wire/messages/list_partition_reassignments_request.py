"""ListPartitionReassignmentsRequest (request, key 46), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class ListPartitionReassignmentsTopics(WireStruct):
    name: str = ""
    partition_indexes: list[int] = []

    FIELDS = (
        Field("name", "string"),
        Field("partition_indexes", "int32", array=True),
    )


class ListPartitionReassignmentsRequest(Message):
    timeout_ms: int = 60000
    topics: list[ListPartitionReassignmentsTopics] | None = None

    FIELDS = (
        Field("timeout_ms", "int32", default=60000),
        Field("topics", ListPartitionReassignmentsTopics, array=True, nullable=(0, LAST), default=None),
    )
    NAME = "ListPartitionReassignmentsRequest"
    API_KEY = 46
    VERSIONS = (0, 0)
    FLEXIBLE = 0
