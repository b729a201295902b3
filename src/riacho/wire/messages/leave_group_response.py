"""LeaveGroupResponse (response, key 13), v0-5.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class MemberResponse(WireStruct):
    member_id: str = ""
    group_instance_id: str | None = ""
    error_code: int = 0

    FIELDS = (
        Field("member_id", "string", (3, LAST)),
        Field("group_instance_id", "string", (3, LAST), nullable=(3, LAST)),
        Field("error_code", "int16", (3, LAST)),
    )


class LeaveGroupResponse(Message):
    throttle_time_ms: int = 0
    error_code: int = 0
    members: list[MemberResponse] = []

    FIELDS = (
        Field("throttle_time_ms", "int32", (1, LAST), ignorable=True),
        Field("error_code", "int16"),
        Field("members", MemberResponse, (3, LAST), array=True),
    )
    NAME = "LeaveGroupResponse"
    API_KEY = 13
    VERSIONS = (0, 5)
    FLEXIBLE = 4
