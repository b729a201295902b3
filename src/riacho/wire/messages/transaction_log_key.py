"""TransactionLogKey (coordinator key, number 0), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class TransactionLogKey(Message):
    transactional_id: str = ""

    FIELDS = (Field("transactional_id", "string", (0, 0)),)
    NAME = "TransactionLogKey"
    API_KEY = 0
    VERSIONS = (0, 0)
