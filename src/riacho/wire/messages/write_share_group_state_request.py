"""WriteShareGroupStateRequest (request, key 85), v0-1.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


class StateBatch(WireStruct):
    first_offset: int = 0
    last_offset: int = 0
    delivery_state: int = 0
    delivery_count: int = 0

    FIELDS = (
        Field("first_offset", "int64"),
        Field("last_offset", "int64"),
        Field("delivery_state", "int8"),
        Field("delivery_count", "int16"),
    )


class PartitionData(WireStruct):
    partition: int = 0
    state_epoch: int = 0
    leader_epoch: int = 0
    start_offset: int = 0
    delivery_complete_count: int = -1
    state_batches: list[StateBatch] = []

    FIELDS = (
        Field("partition", "int32"),
        Field("state_epoch", "int32"),
        Field("leader_epoch", "int32"),
        Field("start_offset", "int64"),
        Field("delivery_complete_count", "int32", (1, LAST), default=-1, ignorable=True),
        Field("state_batches", StateBatch, array=True),
    )


class WriteStateData(WireStruct):
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionData] = []

    FIELDS = (
        Field("topic_id", "uuid"),
        Field("partitions", PartitionData, array=True),
    )


class WriteShareGroupStateRequest(Message):
    group_id: str = ""
    topics: list[WriteStateData] = []

    FIELDS = (
        Field("group_id", "string"),
        Field("topics", WriteStateData, array=True),
    )
    NAME = "WriteShareGroupStateRequest"
    API_KEY = 85
    VERSIONS = (0, 1)
    FLEXIBLE = 0
