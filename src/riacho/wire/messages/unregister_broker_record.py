"""UnregisterBrokerRecord (metadata, number 1), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class UnregisterBrokerRecord(Message):
    broker_id: int = 0
    broker_epoch: int = 0

    FIELDS = (
        Field("broker_id", "int32"),
        Field("broker_epoch", "int64"),
    )
    NAME = "UnregisterBrokerRecord"
    API_KEY = 1
    VERSIONS = (0, 0)
    FLEXIBLE = 0
