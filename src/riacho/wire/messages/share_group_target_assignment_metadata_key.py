"""ShareGroupTargetAssignmentMetadataKey (coordinator key, number 12), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class ShareGroupTargetAssignmentMetadataKey(Message):
    group_id: str = ""

    FIELDS = (Field("group_id", "string", (0, 0)),)
    NAME = "ShareGroupTargetAssignmentMetadataKey"
    API_KEY = 12
    VERSIONS = (0, 0)
