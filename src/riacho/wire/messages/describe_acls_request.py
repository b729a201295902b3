"""DescribeAclsRequest (request, key 29), v1-3.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message


class DescribeAclsRequest(Message):
    resource_type_filter: int = 0
    resource_name_filter: str | None = ""
    pattern_type_filter: int = 3
    principal_filter: str | None = ""
    host_filter: str | None = ""
    operation: int = 0
    permission_type: int = 0

    FIELDS = (
        Field("resource_type_filter", "int8"),
        Field("resource_name_filter", "string", nullable=(0, LAST)),
        Field("pattern_type_filter", "int8", (1, LAST), default=3),
        Field("principal_filter", "string", nullable=(0, LAST)),
        Field("host_filter", "string", nullable=(0, LAST)),
        Field("operation", "int8"),
        Field("permission_type", "int8"),
    )
    NAME = "DescribeAclsRequest"
    API_KEY = 29
    VERSIONS = (1, 3)
    FLEXIBLE = 2
