"""DescribeTransactionsResponse (response, key 65), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message, WireStruct


class TopicData(WireStruct):
    topic: str = ""
    partitions: list[int] = []

    FIELDS = (
        Field("topic", "string"),
        Field("partitions", "int32", array=True),
    )


class TransactionState(WireStruct):
    error_code: int = 0
    transactional_id: str = ""
    transaction_state: str = ""
    transaction_timeout_ms: int = 0
    transaction_start_time_ms: int = 0
    producer_id: int = 0
    producer_epoch: int = 0
    topics: list[TopicData] = []

    FIELDS = (
        Field("error_code", "int16"),
        Field("transactional_id", "string"),
        Field("transaction_state", "string"),
        Field("transaction_timeout_ms", "int32"),
        Field("transaction_start_time_ms", "int64"),
        Field("producer_id", "int64"),
        Field("producer_epoch", "int16"),
        Field("topics", TopicData, array=True),
    )


class DescribeTransactionsResponse(Message):
    throttle_time_ms: int = 0
    transaction_states: list[TransactionState] = []

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("transaction_states", TransactionState, array=True),
    )
    NAME = "DescribeTransactionsResponse"
    API_KEY = 65
    VERSIONS = (0, 0)
    FLEXIBLE = 0
