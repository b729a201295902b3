"""ShareFetchRequest (request, key 78), v1-2.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


class AcknowledgementBatch(WireStruct):
    first_offset: int = 0
    last_offset: int = 0
    acknowledge_types: list[int] = []

    FIELDS = (
        Field("first_offset", "int64"),
        Field("last_offset", "int64"),
        Field("acknowledge_types", "int8", array=True),
    )


class FetchPartition(WireStruct):
    partition_index: int = 0
    partition_max_bytes: int = 0
    acknowledgement_batches: list[AcknowledgementBatch] = []

    FIELDS = (
        Field("partition_index", "int32"),
        Field("partition_max_bytes", "int32", (0, 0)),
        Field("acknowledgement_batches", AcknowledgementBatch, array=True),
    )


class FetchTopic(WireStruct):
    topic_id: bytes = ZERO_UUID
    partitions: list[FetchPartition] = []

    FIELDS = (
        Field("topic_id", "uuid"),
        Field("partitions", FetchPartition, array=True),
    )


class ForgottenTopic(WireStruct):
    topic_id: bytes = ZERO_UUID
    partitions: list[int] = []

    FIELDS = (
        Field("topic_id", "uuid"),
        Field("partitions", "int32", array=True),
    )


class ShareFetchRequest(Message):
    group_id: str | None = None
    member_id: str | None = ""
    share_session_epoch: int = 0
    max_wait_ms: int = 0
    min_bytes: int = 0
    max_bytes: int = 2147483647
    max_records: int = 0
    batch_size: int = 0
    share_acquire_mode: int = 0
    is_renew_ack: bool = False
    topics: list[FetchTopic] = []
    forgotten_topics_data: list[ForgottenTopic] = []

    FIELDS = (
        Field("group_id", "string", nullable=(0, LAST), default=None),
        Field("member_id", "string", nullable=(0, LAST)),
        Field("share_session_epoch", "int32"),
        Field("max_wait_ms", "int32"),
        Field("min_bytes", "int32"),
        Field("max_bytes", "int32", default=2147483647),
        Field("max_records", "int32", (1, LAST)),
        Field("batch_size", "int32", (1, LAST)),
        Field("share_acquire_mode", "int8", (2, LAST), ignorable=True),
        Field("is_renew_ack", "bool", (2, LAST)),
        Field("topics", FetchTopic, array=True),
        Field("forgotten_topics_data", ForgottenTopic, array=True),
    )
    NAME = "ShareFetchRequest"
    API_KEY = 78
    VERSIONS = (1, 2)
    FLEXIBLE = 0
