"""ConsumerGroupTargetAssignmentMetadataKey (coordinator key, number 6), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class ConsumerGroupTargetAssignmentMetadataKey(Message):
    group_id: str = ""

    FIELDS = (Field("group_id", "string", (0, 0)),)
    NAME = "ConsumerGroupTargetAssignmentMetadataKey"
    API_KEY = 6
    VERSIONS = (0, 0)
