"""FindCoordinatorRequest (request, key 10), v0-6.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message


class FindCoordinatorRequest(Message):
    key: str = ""
    key_type: int = 0
    coordinator_keys: list[str] = []

    FIELDS = (
        Field("key", "string", (0, 3)),
        Field("key_type", "int8", (1, LAST)),
        Field("coordinator_keys", "string", (4, LAST), array=True),
    )
    NAME = "FindCoordinatorRequest"
    API_KEY = 10
    VERSIONS = (0, 6)
    FLEXIBLE = 3
