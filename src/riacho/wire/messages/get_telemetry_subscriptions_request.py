"""GetTelemetrySubscriptionsRequest (request, key 71), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import Field, Message


class GetTelemetrySubscriptionsRequest(Message):
    client_instance_id: bytes = ZERO_UUID

    FIELDS = (Field("client_instance_id", "uuid"),)
    NAME = "GetTelemetrySubscriptionsRequest"
    API_KEY = 71
    VERSIONS = (0, 0)
    FLEXIBLE = 0
