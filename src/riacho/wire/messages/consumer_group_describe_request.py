"""ConsumerGroupDescribeRequest (request, key 69), v0-1.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class ConsumerGroupDescribeRequest(Message):
    group_ids: list[str] = []
    include_authorized_operations: bool = False

    FIELDS = (
        Field("group_ids", "string", array=True),
        Field("include_authorized_operations", "bool"),
    )
    NAME = "ConsumerGroupDescribeRequest"
    API_KEY = 69
    VERSIONS = (0, 1)
    FLEXIBLE = 0
