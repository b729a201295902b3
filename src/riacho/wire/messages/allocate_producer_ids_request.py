"""AllocateProducerIdsRequest (request, key 67), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class AllocateProducerIdsRequest(Message):
    broker_id: int = 0
    broker_epoch: int = -1

    FIELDS = (
        Field("broker_id", "int32"),
        Field("broker_epoch", "int64", default=-1),
    )
    NAME = "AllocateProducerIdsRequest"
    API_KEY = 67
    VERSIONS = (0, 0)
    FLEXIBLE = 0
