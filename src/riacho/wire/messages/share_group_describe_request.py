"""ShareGroupDescribeRequest (request, key 77), v1.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class ShareGroupDescribeRequest(Message):
    group_ids: list[str] = []
    include_authorized_operations: bool = False

    FIELDS = (
        Field("group_ids", "string", array=True),
        Field("include_authorized_operations", "bool"),
    )
    NAME = "ShareGroupDescribeRequest"
    API_KEY = 77
    VERSIONS = (1, 1)
    FLEXIBLE = 0
