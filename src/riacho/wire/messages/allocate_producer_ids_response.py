"""AllocateProducerIdsResponse (response, key 67), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class AllocateProducerIdsResponse(Message):
    throttle_time_ms: int = 0
    error_code: int = 0
    producer_id_start: int = 0
    producer_id_len: int = 0

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("error_code", "int16"),
        Field("producer_id_start", "int64"),
        Field("producer_id_len", "int32"),
    )
    NAME = "AllocateProducerIdsResponse"
    API_KEY = 67
    VERSIONS = (0, 0)
    FLEXIBLE = 0
