"""AbortTransactionRecord (metadata, number 25), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message


class AbortTransactionRecord(Message):
    reason: str | None = None

    FIELDS = (Field("reason", "string", nullable=(0, LAST), tag=0, default=None),)
    NAME = "AbortTransactionRecord"
    API_KEY = 25
    VERSIONS = (0, 0)
    FLEXIBLE = 0
