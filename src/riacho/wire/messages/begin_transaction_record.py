"""BeginTransactionRecord (metadata, number 23), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message


class BeginTransactionRecord(Message):
    name: str | None = None

    FIELDS = (Field("name", "string", nullable=(0, LAST), tag=0, default=None),)
    NAME = "BeginTransactionRecord"
    API_KEY = 23
    VERSIONS = (0, 0)
    FLEXIBLE = 0
