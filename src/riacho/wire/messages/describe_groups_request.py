"""DescribeGroupsRequest (request, key 15), v0-6.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message


class DescribeGroupsRequest(Message):
    groups: list[str] = []
    include_authorized_operations: bool = False

    FIELDS = (
        Field("groups", "string", array=True),
        Field("include_authorized_operations", "bool", (3, LAST)),
    )
    NAME = "DescribeGroupsRequest"
    API_KEY = 15
    VERSIONS = (0, 6)
    FLEXIBLE = 5
