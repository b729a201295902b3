"""GetTelemetrySubscriptionsResponse (response, key 71), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import Field, Message


class GetTelemetrySubscriptionsResponse(Message):
    throttle_time_ms: int = 0
    error_code: int = 0
    client_instance_id: bytes = ZERO_UUID
    subscription_id: int = 0
    accepted_compression_types: list[int] = []
    push_interval_ms: int = 0
    telemetry_max_bytes: int = 0
    delta_temporality: bool = False
    requested_metrics: list[str] = []

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("error_code", "int16"),
        Field("client_instance_id", "uuid"),
        Field("subscription_id", "int32"),
        Field("accepted_compression_types", "int8", array=True),
        Field("push_interval_ms", "int32"),
        Field("telemetry_max_bytes", "int32"),
        Field("delta_temporality", "bool"),
        Field("requested_metrics", "string", array=True),
    )
    NAME = "GetTelemetrySubscriptionsResponse"
    API_KEY = 71
    VERSIONS = (0, 0)
    FLEXIBLE = 0
