"""InitializeShareGroupStateRequest (request, key 83), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import Field, Message, WireStruct


class PartitionData(WireStruct):
    partition: int = 0
    state_epoch: int = 0
    start_offset: int = 0

    FIELDS = (
        Field("partition", "int32"),
        Field("state_epoch", "int32"),
        Field("start_offset", "int64"),
    )


class InitializeStateData(WireStruct):
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionData] = []

    FIELDS = (
        Field("topic_id", "uuid"),
        Field("partitions", PartitionData, array=True),
    )


class InitializeShareGroupStateRequest(Message):
    group_id: str = ""
    topics: list[InitializeStateData] = []

    FIELDS = (
        Field("group_id", "string"),
        Field("topics", InitializeStateData, array=True),
    )
    NAME = "InitializeShareGroupStateRequest"
    API_KEY = 83
    VERSIONS = (0, 0)
    FLEXIBLE = 0
