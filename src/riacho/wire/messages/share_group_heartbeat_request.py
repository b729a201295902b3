"""ShareGroupHeartbeatRequest (request, key 76), v1.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message


class ShareGroupHeartbeatRequest(Message):
    group_id: str = ""
    member_id: str = ""
    member_epoch: int = 0
    rack_id: str | None = None
    subscribed_topic_names: list[str] | None = None

    FIELDS = (
        Field("group_id", "string"),
        Field("member_id", "string"),
        Field("member_epoch", "int32"),
        Field("rack_id", "string", nullable=(0, LAST), default=None),
        Field("subscribed_topic_names", "string", array=True, nullable=(0, LAST), default=None),
    )
    NAME = "ShareGroupHeartbeatRequest"
    API_KEY = 76
    VERSIONS = (1, 1)
    FLEXIBLE = 0
