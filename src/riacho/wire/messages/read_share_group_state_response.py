"""ReadShareGroupStateResponse (response, key 84), v0.

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


class PartitionResult(WireStruct):
    partition: int = 0
    error_code: int = 0
    error_message: str | None = None
    state_epoch: int = 0
    start_offset: int = 0
    state_batches: list[StateBatch] = []

    FIELDS = (
        Field("partition", "int32"),
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST), default=None),
        Field("state_epoch", "int32"),
        Field("start_offset", "int64"),
        Field("state_batches", StateBatch, array=True),
    )


class ReadStateResult(WireStruct):
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionResult] = []

    FIELDS = (
        Field("topic_id", "uuid"),
        Field("partitions", PartitionResult, array=True),
    )


class ReadShareGroupStateResponse(Message):
    results: list[ReadStateResult] = []

    FIELDS = (Field("results", ReadStateResult, array=True),)
    NAME = "ReadShareGroupStateResponse"
    API_KEY = 84
    VERSIONS = (0, 0)
    FLEXIBLE = 0
