"""DescribeAclsResponse (response, key 29), v1-3.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class AclDescription(WireStruct):
    principal: str = ""
    host: str = ""
    operation: int = 0
    permission_type: int = 0

    FIELDS = (
        Field("principal", "string"),
        Field("host", "string"),
        Field("operation", "int8"),
        Field("permission_type", "int8"),
    )


class DescribeAclsResource(WireStruct):
    resource_type: int = 0
    resource_name: str = ""
    pattern_type: int = 3
    acls: list[AclDescription] = []

    FIELDS = (
        Field("resource_type", "int8"),
        Field("resource_name", "string"),
        Field("pattern_type", "int8", (1, LAST), default=3),
        Field("acls", AclDescription, array=True),
    )


class DescribeAclsResponse(Message):
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""
    resources: list[DescribeAclsResource] = []

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST)),
        Field("resources", DescribeAclsResource, array=True),
    )
    NAME = "DescribeAclsResponse"
    API_KEY = 29
    VERSIONS = (1, 3)
    FLEXIBLE = 2
