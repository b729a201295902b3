"""EndTxnResponse (response, key 26), v0-5.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message


class EndTxnResponse(Message):
    throttle_time_ms: int = 0
    error_code: int = 0
    producer_id: int = -1
    producer_epoch: int = -1

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("error_code", "int16"),
        Field("producer_id", "int64", (5, LAST), default=-1, ignorable=True),
        Field("producer_epoch", "int16", (5, LAST), default=-1, ignorable=True),
    )
    NAME = "EndTxnResponse"
    API_KEY = 26
    VERSIONS = (0, 5)
    FLEXIBLE = 3
