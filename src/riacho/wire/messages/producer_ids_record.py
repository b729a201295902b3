"""ProducerIdsRecord (metadata, number 15), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class ProducerIdsRecord(Message):
    broker_id: int = 0
    broker_epoch: int = -1
    next_producer_id: int = 0

    FIELDS = (
        Field("broker_id", "int32"),
        Field("broker_epoch", "int64", default=-1),
        Field("next_producer_id", "int64"),
    )
    NAME = "ProducerIdsRecord"
    API_KEY = 15
    VERSIONS = (0, 0)
    FLEXIBLE = 0
