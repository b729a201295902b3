"""DescribeGroupsResponse (response, key 15), v0-6.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class DescribedGroupMember(WireStruct):
    member_id: str = ""
    group_instance_id: str | None = None
    client_id: str = ""
    client_host: str = ""
    member_metadata: bytes = b""
    member_assignment: bytes = b""

    FIELDS = (
        Field("member_id", "string"),
        Field("group_instance_id", "string", (4, LAST), nullable=(4, LAST), default=None, ignorable=True),
        Field("client_id", "string"),
        Field("client_host", "string"),
        Field("member_metadata", "bytes"),
        Field("member_assignment", "bytes"),
    )


class DescribedGroup(WireStruct):
    error_code: int = 0
    error_message: str | None = None
    group_id: str = ""
    group_state: str = ""
    protocol_type: str = ""
    protocol_data: str = ""
    members: list[DescribedGroupMember] = []
    authorized_operations: int = -2147483648

    FIELDS = (
        Field("error_code", "int16"),
        Field("error_message", "string", (6, LAST), nullable=(6, LAST), default=None),
        Field("group_id", "string"),
        Field("group_state", "string"),
        Field("protocol_type", "string"),
        Field("protocol_data", "string"),
        Field("members", DescribedGroupMember, array=True),
        Field("authorized_operations", "int32", (3, LAST), default=-2147483648),
    )


class DescribeGroupsResponse(Message):
    throttle_time_ms: int = 0
    groups: list[DescribedGroup] = []

    FIELDS = (
        Field("throttle_time_ms", "int32", (1, LAST), ignorable=True),
        Field("groups", DescribedGroup, array=True),
    )
    NAME = "DescribeGroupsResponse"
    API_KEY = 15
    VERSIONS = (0, 6)
    FLEXIBLE = 5
