"""DeleteAclsResponse (response, key 31), v1-3.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class DeleteAclsMatchingAcl(WireStruct):
    error_code: int = 0
    error_message: str | None = ""
    resource_type: int = 0
    resource_name: str = ""
    pattern_type: int = 3
    principal: str = ""
    host: str = ""
    operation: int = 0
    permission_type: int = 0

    FIELDS = (
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST)),
        Field("resource_type", "int8"),
        Field("resource_name", "string"),
        Field("pattern_type", "int8", (1, LAST), default=3),
        Field("principal", "string"),
        Field("host", "string"),
        Field("operation", "int8"),
        Field("permission_type", "int8"),
    )


class DeleteAclsFilterResult(WireStruct):
    error_code: int = 0
    error_message: str | None = ""
    matching_acls: list[DeleteAclsMatchingAcl] = []

    FIELDS = (
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST)),
        Field("matching_acls", DeleteAclsMatchingAcl, array=True),
    )


class DeleteAclsResponse(Message):
    throttle_time_ms: int = 0
    filter_results: list[DeleteAclsFilterResult] = []

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("filter_results", DeleteAclsFilterResult, array=True),
    )
    NAME = "DeleteAclsResponse"
    API_KEY = 31
    VERSIONS = (1, 3)
    FLEXIBLE = 2
