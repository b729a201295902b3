"""EndTransactionRecord (metadata, number 24), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Message


class EndTransactionRecord(Message):
    NAME = "EndTransactionRecord"
    API_KEY = 24
    VERSIONS = (0, 0)
    FLEXIBLE = 0
