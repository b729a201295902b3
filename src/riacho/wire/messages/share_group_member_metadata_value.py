"""ShareGroupMemberMetadataValue (coordinator value, number 10), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message


class ShareGroupMemberMetadataValue(Message):
    rack_id: str | None = ""
    client_id: str = ""
    client_host: str = ""
    subscribed_topic_names: list[str] = []

    FIELDS = (
        Field("rack_id", "string", nullable=(0, LAST)),
        Field("client_id", "string"),
        Field("client_host", "string"),
        Field("subscribed_topic_names", "string", array=True),
    )
    NAME = "ShareGroupMemberMetadataValue"
    API_KEY = 10
    VERSIONS = (0, 0)
    FLEXIBLE = 0
