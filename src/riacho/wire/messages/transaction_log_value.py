"""TransactionLogValue (coordinator value, number 0), v0-1.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class PartitionsSchema(WireStruct):
    topic: str = ""
    partition_ids: list[int] = []

    FIELDS = (
        Field("topic", "string"),
        Field("partition_ids", "int32", array=True),
    )


class TransactionLogValue(Message):
    producer_id: int = 0
    previous_producer_id: int = -1
    next_producer_id: int = -1
    producer_epoch: int = 0
    next_producer_epoch: int = -1
    transaction_timeout_ms: int = 0
    transaction_status: int = 0
    transaction_partitions: list[PartitionsSchema] | None = []
    transaction_last_update_timestamp_ms: int = 0
    transaction_start_timestamp_ms: int = 0
    client_transaction_version: int = 0

    FIELDS = (
        Field("producer_id", "int64"),
        Field("previous_producer_id", "int64", (1, LAST), tag=0, default=-1),
        Field("next_producer_id", "int64", (1, LAST), tag=1, default=-1),
        Field("producer_epoch", "int16"),
        Field("next_producer_epoch", "int16", (1, LAST), tag=3, default=-1),
        Field("transaction_timeout_ms", "int32"),
        Field("transaction_status", "int8"),
        Field("transaction_partitions", PartitionsSchema, array=True, nullable=(0, LAST)),
        Field("transaction_last_update_timestamp_ms", "int64"),
        Field("transaction_start_timestamp_ms", "int64"),
        Field("client_transaction_version", "int16", (1, LAST), tag=2),
    )
    NAME = "TransactionLogValue"
    API_KEY = 0
    VERSIONS = (0, 1)
    FLEXIBLE = 1
