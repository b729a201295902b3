"""AlterPartitionResponse (response, key 56), v2-3.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


class PartitionData(WireStruct):
    partition_index: int = 0
    error_code: int = 0
    leader_id: int = 0
    leader_epoch: int = 0
    isr: list[int] = []
    leader_recovery_state: int = 0
    partition_epoch: int = 0

    FIELDS = (
        Field("partition_index", "int32"),
        Field("error_code", "int16"),
        Field("leader_id", "int32"),
        Field("leader_epoch", "int32"),
        Field("isr", "int32", array=True),
        Field("leader_recovery_state", "int8", (1, LAST), ignorable=True),
        Field("partition_epoch", "int32"),
    )


class TopicData(WireStruct):
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionData] = []

    FIELDS = (
        Field("topic_id", "uuid", (2, LAST), ignorable=True),
        Field("partitions", PartitionData, array=True),
    )


class AlterPartitionResponse(Message):
    throttle_time_ms: int = 0
    error_code: int = 0
    topics: list[TopicData] = []

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("error_code", "int16"),
        Field("topics", TopicData, array=True),
    )
    NAME = "AlterPartitionResponse"
    API_KEY = 56
    VERSIONS = (2, 3)
    FLEXIBLE = 0
