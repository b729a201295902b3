"""TxnOffsetCommitRequest (request, key 28), v0-5.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class TxnOffsetCommitRequestPartition(WireStruct):
    partition_index: int = 0
    committed_offset: int = 0
    committed_leader_epoch: int = -1
    committed_metadata: str | None = ""

    FIELDS = (
        Field("partition_index", "int32"),
        Field("committed_offset", "int64"),
        Field("committed_leader_epoch", "int32", (2, LAST), default=-1, ignorable=True),
        Field("committed_metadata", "string", nullable=(0, LAST)),
    )


class TxnOffsetCommitRequestTopic(WireStruct):
    name: str = ""
    partitions: list[TxnOffsetCommitRequestPartition] = []

    FIELDS = (
        Field("name", "string"),
        Field("partitions", TxnOffsetCommitRequestPartition, array=True),
    )


class TxnOffsetCommitRequest(Message):
    transactional_id: str = ""
    group_id: str = ""
    producer_id: int = 0
    producer_epoch: int = 0
    generation_id: int = -1
    member_id: str = ""
    group_instance_id: str | None = None
    topics: list[TxnOffsetCommitRequestTopic] = []

    FIELDS = (
        Field("transactional_id", "string"),
        Field("group_id", "string"),
        Field("producer_id", "int64"),
        Field("producer_epoch", "int16"),
        Field("generation_id", "int32", (3, LAST), default=-1),
        Field("member_id", "string", (3, LAST)),
        Field("group_instance_id", "string", (3, LAST), nullable=(3, LAST), default=None),
        Field("topics", TxnOffsetCommitRequestTopic, array=True),
    )
    NAME = "TxnOffsetCommitRequest"
    API_KEY = 28
    VERSIONS = (0, 5)
    FLEXIBLE = 3
