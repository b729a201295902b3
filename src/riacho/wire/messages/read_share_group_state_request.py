"""ReadShareGroupStateRequest (request, key 84), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import Field, Message, WireStruct


class PartitionData(WireStruct):
    partition: int = 0
    leader_epoch: int = 0

    FIELDS = (
        Field("partition", "int32"),
        Field("leader_epoch", "int32"),
    )


class ReadStateData(WireStruct):
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionData] = []

    FIELDS = (
        Field("topic_id", "uuid"),
        Field("partitions", PartitionData, array=True),
    )


class ReadShareGroupStateRequest(Message):
    group_id: str = ""
    topics: list[ReadStateData] = []

    FIELDS = (
        Field("group_id", "string"),
        Field("topics", ReadStateData, array=True),
    )
    NAME = "ReadShareGroupStateRequest"
    API_KEY = 84
    VERSIONS = (0, 0)
    FLEXIBLE = 0
