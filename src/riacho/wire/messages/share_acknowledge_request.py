"""ShareAcknowledgeRequest (request, key 79), v1-2.

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


class AcknowledgePartition(WireStruct):
    partition_index: int = 0
    acknowledgement_batches: list[AcknowledgementBatch] = []

    FIELDS = (
        Field("partition_index", "int32"),
        Field("acknowledgement_batches", AcknowledgementBatch, array=True),
    )


class AcknowledgeTopic(WireStruct):
    topic_id: bytes = ZERO_UUID
    partitions: list[AcknowledgePartition] = []

    FIELDS = (
        Field("topic_id", "uuid"),
        Field("partitions", AcknowledgePartition, array=True),
    )


class ShareAcknowledgeRequest(Message):
    group_id: str | None = None
    member_id: str | None = ""
    share_session_epoch: int = 0
    is_renew_ack: bool = False
    topics: list[AcknowledgeTopic] = []

    FIELDS = (
        Field("group_id", "string", nullable=(0, LAST), default=None),
        Field("member_id", "string", nullable=(0, LAST)),
        Field("share_session_epoch", "int32"),
        Field("is_renew_ack", "bool", (2, LAST)),
        Field("topics", AcknowledgeTopic, array=True),
    )
    NAME = "ShareAcknowledgeRequest"
    API_KEY = 79
    VERSIONS = (1, 2)
    FLEXIBLE = 0
