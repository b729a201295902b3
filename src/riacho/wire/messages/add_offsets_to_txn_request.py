"""AddOffsetsToTxnRequest (request, key 25), v0-4.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class AddOffsetsToTxnRequest(Message):
    transactional_id: str = ""
    producer_id: int = 0
    producer_epoch: int = 0
    group_id: str = ""

    FIELDS = (
        Field("transactional_id", "string"),
        Field("producer_id", "int64"),
        Field("producer_epoch", "int16"),
        Field("group_id", "string"),
    )
    NAME = "AddOffsetsToTxnRequest"
    API_KEY = 25
    VERSIONS = (0, 4)
    FLEXIBLE = 3
