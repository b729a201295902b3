"""ReadShareGroupStateSummaryRequest (request, key 87), v0-1.

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


class ReadStateSummaryData(WireStruct):
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionData] = []

    FIELDS = (
        Field("topic_id", "uuid"),
        Field("partitions", PartitionData, array=True),
    )


class ReadShareGroupStateSummaryRequest(Message):
    group_id: str = ""
    topics: list[ReadStateSummaryData] = []

    FIELDS = (
        Field("group_id", "string"),
        Field("topics", ReadStateSummaryData, array=True),
    )
    NAME = "ReadShareGroupStateSummaryRequest"
    API_KEY = 87
    VERSIONS = (0, 1)
    FLEXIBLE = 0
