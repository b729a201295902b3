"""JoinGroupResponse (response, key 11), v0-9.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class JoinGroupResponseMember(WireStruct):
    member_id: str = ""
    group_instance_id: str | None = None
    metadata: bytes = b""

    FIELDS = (
        Field("member_id", "string"),
        Field("group_instance_id", "string", (5, LAST), nullable=(5, LAST), default=None, ignorable=True),
        Field("metadata", "bytes"),
    )


class JoinGroupResponse(Message):
    throttle_time_ms: int = 0
    error_code: int = 0
    generation_id: int = -1
    protocol_type: str | None = None
    protocol_name: str | None = ""
    leader: str = ""
    skip_assignment: bool = False
    member_id: str = ""
    members: list[JoinGroupResponseMember] = []

    FIELDS = (
        Field("throttle_time_ms", "int32", (2, LAST), ignorable=True),
        Field("error_code", "int16"),
        Field("generation_id", "int32", default=-1),
        Field("protocol_type", "string", (7, LAST), nullable=(7, LAST), default=None, ignorable=True),
        Field("protocol_name", "string", nullable=(7, LAST)),
        Field("leader", "string"),
        Field("skip_assignment", "bool", (9, LAST)),
        Field("member_id", "string"),
        Field("members", JoinGroupResponseMember, array=True),
    )
    NAME = "JoinGroupResponse"
    API_KEY = 11
    VERSIONS = (0, 9)
    FLEXIBLE = 6
