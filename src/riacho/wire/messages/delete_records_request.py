"""DeleteRecordsRequest (request, key 21), v0-2.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message, WireStruct


class DeleteRecordsPartition(WireStruct):
    partition_index: int = 0
    offset: int = 0

    FIELDS = (
        Field("partition_index", "int32"),
        Field("offset", "int64"),
    )


class DeleteRecordsTopic(WireStruct):
    name: str = ""
    partitions: list[DeleteRecordsPartition] = []

    FIELDS = (
        Field("name", "string"),
        Field("partitions", DeleteRecordsPartition, array=True),
    )


class DeleteRecordsRequest(Message):
    topics: list[DeleteRecordsTopic] = []
    timeout_ms: int = 0

    FIELDS = (
        Field("topics", DeleteRecordsTopic, array=True),
        Field("timeout_ms", "int32"),
    )
    NAME = "DeleteRecordsRequest"
    API_KEY = 21
    VERSIONS = (0, 2)
    FLEXIBLE = 2
