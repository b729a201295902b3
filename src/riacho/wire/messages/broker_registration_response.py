"""BrokerRegistrationResponse (response, key 62), v0-4.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class BrokerRegistrationResponse(Message):
    throttle_time_ms: int = 0
    error_code: int = 0
    broker_epoch: int = -1

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("error_code", "int16"),
        Field("broker_epoch", "int64", default=-1),
    )
    NAME = "BrokerRegistrationResponse"
    API_KEY = 62
    VERSIONS = (0, 4)
    FLEXIBLE = 0
