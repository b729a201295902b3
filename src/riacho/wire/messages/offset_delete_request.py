"""OffsetDeleteRequest (request, key 47), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message, WireStruct


class OffsetDeleteRequestPartition(WireStruct):
    partition_index: int = 0

    FIELDS = (Field("partition_index", "int32"),)


class OffsetDeleteRequestTopic(WireStruct):
    name: str = ""
    partitions: list[OffsetDeleteRequestPartition] = []

    FIELDS = (
        Field("name", "string"),
        Field("partitions", OffsetDeleteRequestPartition, array=True),
    )


class OffsetDeleteRequest(Message):
    group_id: str = ""
    topics: list[OffsetDeleteRequestTopic] = []

    FIELDS = (
        Field("group_id", "string"),
        Field("topics", OffsetDeleteRequestTopic, array=True),
    )
    NAME = "OffsetDeleteRequest"
    API_KEY = 47
    VERSIONS = (0, 0)
