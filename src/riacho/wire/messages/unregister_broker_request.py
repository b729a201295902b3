"""UnregisterBrokerRequest (request, key 64), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class UnregisterBrokerRequest(Message):
    broker_id: int = 0

    FIELDS = (Field("broker_id", "int32"),)
    NAME = "UnregisterBrokerRequest"
    API_KEY = 64
    VERSIONS = (0, 0)
    FLEXIBLE = 0
