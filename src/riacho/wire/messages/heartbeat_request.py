"""HeartbeatRequest (request, key 12), v0-4.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message


class HeartbeatRequest(Message):
    group_id: str = ""
    generation_id: int = 0
    member_id: str = ""
    group_instance_id: str | None = None

    FIELDS = (
        Field("group_id", "string"),
        Field("generation_id", "int32"),
        Field("member_id", "string"),
        Field("group_instance_id", "string", (3, LAST), nullable=(3, LAST), default=None),
    )
    NAME = "HeartbeatRequest"
    API_KEY = 12
    VERSIONS = (0, 4)
    FLEXIBLE = 4
