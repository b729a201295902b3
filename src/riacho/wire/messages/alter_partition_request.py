"""AlterPartitionRequest (request, key 56), v2-3.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


class BrokerState(WireStruct):
    broker_id: int = 0
    broker_epoch: int = -1

    FIELDS = (
        Field("broker_id", "int32", (3, LAST)),
        Field("broker_epoch", "int64", (3, LAST), default=-1),
    )


class PartitionData(WireStruct):
    partition_index: int = 0
    leader_epoch: int = 0
    new_isr: list[int] = []
    new_isr_with_epochs: list[BrokerState] = []
    leader_recovery_state: int = 0
    partition_epoch: int = 0

    FIELDS = (
        Field("partition_index", "int32"),
        Field("leader_epoch", "int32"),
        Field("new_isr", "int32", (0, 2), array=True),
        Field("new_isr_with_epochs", BrokerState, (3, LAST), array=True),
        Field("leader_recovery_state", "int8", (1, LAST)),
        Field("partition_epoch", "int32"),
    )


class TopicData(WireStruct):
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionData] = []

    FIELDS = (
        Field("topic_id", "uuid", (2, LAST), ignorable=True),
        Field("partitions", PartitionData, array=True),
    )


class AlterPartitionRequest(Message):
    broker_id: int = 0
    broker_epoch: int = -1
    topics: list[TopicData] = []

    FIELDS = (
        Field("broker_id", "int32"),
        Field("broker_epoch", "int64", default=-1),
        Field("topics", TopicData, array=True),
    )
    NAME = "AlterPartitionRequest"
    API_KEY = 56
    VERSIONS = (2, 3)
    FLEXIBLE = 0
