"""DescribeProducersResponse (response, key 61), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class ProducerState(WireStruct):
    producer_id: int = 0
    producer_epoch: int = 0
    last_sequence: int = -1
    last_timestamp: int = -1
    coordinator_epoch: int = 0
    current_txn_start_offset: int = -1

    FIELDS = (
        Field("producer_id", "int64"),
        Field("producer_epoch", "int32"),
        Field("last_sequence", "int32", default=-1),
        Field("last_timestamp", "int64", default=-1),
        Field("coordinator_epoch", "int32"),
        Field("current_txn_start_offset", "int64", default=-1),
    )


class PartitionResponse(WireStruct):
    partition_index: int = 0
    error_code: int = 0
    error_message: str | None = None
    active_producers: list[ProducerState] = []

    FIELDS = (
        Field("partition_index", "int32"),
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST), default=None),
        Field("active_producers", ProducerState, array=True),
    )


class TopicResponse(WireStruct):
    name: str = ""
    partitions: list[PartitionResponse] = []

    FIELDS = (
        Field("name", "string"),
        Field("partitions", PartitionResponse, array=True),
    )


class DescribeProducersResponse(Message):
    throttle_time_ms: int = 0
    topics: list[TopicResponse] = []

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("topics", TopicResponse, array=True),
    )
    NAME = "DescribeProducersResponse"
    API_KEY = 61
    VERSIONS = (0, 0)
    FLEXIBLE = 0
