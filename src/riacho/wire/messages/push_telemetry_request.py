"""PushTelemetryRequest (request, key 72), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import Field, Message


class PushTelemetryRequest(Message):
    client_instance_id: bytes = ZERO_UUID
    subscription_id: int = 0
    terminating: bool = False
    compression_type: int = 0
    metrics: bytes = b""

    FIELDS = (
        Field("client_instance_id", "uuid"),
        Field("subscription_id", "int32"),
        Field("terminating", "bool"),
        Field("compression_type", "int8"),
        Field("metrics", "bytes"),
    )
    NAME = "PushTelemetryRequest"
    API_KEY = 72
    VERSIONS = (0, 0)
    FLEXIBLE = 0
