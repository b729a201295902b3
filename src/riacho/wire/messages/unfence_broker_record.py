"""UnfenceBrokerRecord (metadata, number 8), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class UnfenceBrokerRecord(Message):
    id: int = 0
    epoch: int = 0

    FIELDS = (
        Field("id", "int32"),
        Field("epoch", "int64"),
    )
    NAME = "UnfenceBrokerRecord"
    API_KEY = 8
    VERSIONS = (0, 0)
    FLEXIBLE = 0
