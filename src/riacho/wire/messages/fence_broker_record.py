"""FenceBrokerRecord (metadata, number 7), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class FenceBrokerRecord(Message):
    id: int = 0
    epoch: int = 0

    FIELDS = (
        Field("id", "int32"),
        Field("epoch", "int64"),
    )
    NAME = "FenceBrokerRecord"
    API_KEY = 7
    VERSIONS = (0, 0)
    FLEXIBLE = 0
