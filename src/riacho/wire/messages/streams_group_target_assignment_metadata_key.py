"""StreamsGroupTargetAssignmentMetadataKey (coordinator key, number 20), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class StreamsGroupTargetAssignmentMetadataKey(Message):
    group_id: str = ""

    FIELDS = (Field("group_id", "string", (0, 0)),)
    NAME = "StreamsGroupTargetAssignmentMetadataKey"
    API_KEY = 20
    VERSIONS = (0, 0)
