"""InitProducerIdResponse (response, key 22), v0-6.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message


class InitProducerIdResponse(Message):
    throttle_time_ms: int = 0
    error_code: int = 0
    producer_id: int = -1
    producer_epoch: int = 0
    ongoing_txn_producer_id: int = -1
    ongoing_txn_producer_epoch: int = -1

    FIELDS = (
        Field("throttle_time_ms", "int32", ignorable=True),
        Field("error_code", "int16"),
        Field("producer_id", "int64", default=-1),
        Field("producer_epoch", "int16"),
        Field("ongoing_txn_producer_id", "int64", (6, LAST), default=-1),
        Field("ongoing_txn_producer_epoch", "int16", (6, LAST), default=-1),
    )
    NAME = "InitProducerIdResponse"
    API_KEY = 22
    VERSIONS = (0, 6)
    FLEXIBLE = 2
