"""AddPartitionsToTxnRequest (request, key 24), v0-5.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class AddPartitionsToTxnTopic(WireStruct):
    name: str = ""
    partitions: list[int] = []

    FIELDS = (
        Field("name", "string"),
        Field("partitions", "int32", array=True),
    )


class AddPartitionsToTxnTransaction(WireStruct):
    transactional_id: str = ""
    producer_id: int = 0
    producer_epoch: int = 0
    verify_only: bool = False
    topics: list[AddPartitionsToTxnTopic] = []

    FIELDS = (
        Field("transactional_id", "string", (4, LAST)),
        Field("producer_id", "int64", (4, LAST)),
        Field("producer_epoch", "int16", (4, LAST)),
        Field("verify_only", "bool", (4, LAST)),
        Field("topics", AddPartitionsToTxnTopic, (4, LAST), array=True),
    )


class AddPartitionsToTxnRequest(Message):
    transactions: list[AddPartitionsToTxnTransaction] = []
    v3_and_below_transactional_id: str = ""
    v3_and_below_producer_id: int = 0
    v3_and_below_producer_epoch: int = 0
    v3_and_below_topics: list[AddPartitionsToTxnTopic] = []

    FIELDS = (
        Field("transactions", AddPartitionsToTxnTransaction, (4, LAST), array=True),
        Field("v3_and_below_transactional_id", "string", (0, 3)),
        Field("v3_and_below_producer_id", "int64", (0, 3)),
        Field("v3_and_below_producer_epoch", "int16", (0, 3)),
        Field("v3_and_below_topics", AddPartitionsToTxnTopic, (0, 3), array=True),
    )
    NAME = "AddPartitionsToTxnRequest"
    API_KEY = 24
    VERSIONS = (0, 5)
    FLEXIBLE = 3
