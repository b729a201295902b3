"""DeleteShareGroupStateRequest (request, key 86), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import Field, Message, WireStruct


class PartitionData(WireStruct):
    partition: int = 0

    FIELDS = (Field("partition", "int32"),)


class DeleteStateData(WireStruct):
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionData] = []

    FIELDS = (
        Field("topic_id", "uuid"),
        Field("partitions", PartitionData, array=True),
    )


class DeleteShareGroupStateRequest(Message):
    group_id: str = ""
    topics: list[DeleteStateData] = []

    FIELDS = (
        Field("group_id", "string"),
        Field("topics", DeleteStateData, array=True),
    )
    NAME = "DeleteShareGroupStateRequest"
    API_KEY = 86
    VERSIONS = (0, 0)
    FLEXIBLE = 0
