"""InitProducerIdRequest (request, key 22), v0-6.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message


class InitProducerIdRequest(Message):
    transactional_id: str | None = ""
    transaction_timeout_ms: int = 0
    producer_id: int = -1
    producer_epoch: int = -1
    enable2_pc: bool = False
    keep_prepared_txn: bool = False

    FIELDS = (
        Field("transactional_id", "string", nullable=(0, LAST)),
        Field("transaction_timeout_ms", "int32"),
        Field("producer_id", "int64", (3, LAST), default=-1),
        Field("producer_epoch", "int16", (3, LAST), default=-1),
        Field("enable2_pc", "bool", (6, LAST)),
        Field("keep_prepared_txn", "bool", (6, LAST)),
    )
    NAME = "InitProducerIdRequest"
    API_KEY = 22
    VERSIONS = (0, 6)
    FLEXIBLE = 2
