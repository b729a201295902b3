"""StreamsGroupDescribeRequest (request, key 89), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class StreamsGroupDescribeRequest(Message):
    group_ids: list[str] = []
    include_authorized_operations: bool = False

    FIELDS = (
        Field("group_ids", "string", array=True),
        Field("include_authorized_operations", "bool"),
    )
    NAME = "StreamsGroupDescribeRequest"
    API_KEY = 89
    VERSIONS = (0, 0)
    FLEXIBLE = 0
