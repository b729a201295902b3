"""AlterShareGroupOffsetsRequest (request, key 91), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message, WireStruct


class AlterShareGroupOffsetsRequestPartition(WireStruct):
    partition_index: int = 0
    start_offset: int = 0

    FIELDS = (
        Field("partition_index", "int32"),
        Field("start_offset", "int64"),
    )


class AlterShareGroupOffsetsRequestTopic(WireStruct):
    topic_name: str = ""
    partitions: list[AlterShareGroupOffsetsRequestPartition] = []

    FIELDS = (
        Field("topic_name", "string"),
        Field("partitions", AlterShareGroupOffsetsRequestPartition, array=True),
    )


class AlterShareGroupOffsetsRequest(Message):
    group_id: str = ""
    topics: list[AlterShareGroupOffsetsRequestTopic] = []

    FIELDS = (
        Field("group_id", "string"),
        Field("topics", AlterShareGroupOffsetsRequestTopic, array=True),
    )
    NAME = "AlterShareGroupOffsetsRequest"
    API_KEY = 91
    VERSIONS = (0, 0)
    FLEXIBLE = 0
