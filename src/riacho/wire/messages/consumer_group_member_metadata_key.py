"""ConsumerGroupMemberMetadataKey (coordinator key, number 5), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class ConsumerGroupMemberMetadataKey(Message):
    group_id: str = ""
    member_id: str = ""

    FIELDS = (
        Field("group_id", "string", (0, 0)),
        Field("member_id", "string", (0, 0)),
    )
    NAME = "ConsumerGroupMemberMetadataKey"
    API_KEY = 5
    VERSIONS = (0, 0)
