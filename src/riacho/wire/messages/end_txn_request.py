"""EndTxnRequest (request, key 26), v0-5.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class EndTxnRequest(Message):
    transactional_id: str = ""
    producer_id: int = 0
    producer_epoch: int = 0
    committed: bool = False

    FIELDS = (
        Field("transactional_id", "string"),
        Field("producer_id", "int64"),
        Field("producer_epoch", "int16"),
        Field("committed", "bool"),
    )
    NAME = "EndTxnRequest"
    API_KEY = 26
    VERSIONS = (0, 5)
    FLEXIBLE = 3
