"""LeaveGroupRequest (request, key 13), v0-5.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class MemberIdentity(WireStruct):
    member_id: str = ""
    group_instance_id: str | None = None
    reason: str | None = None

    FIELDS = (
        Field("member_id", "string", (3, LAST)),
        Field("group_instance_id", "string", (3, LAST), nullable=(3, LAST), default=None),
        Field("reason", "string", (5, LAST), nullable=(5, LAST), default=None, ignorable=True),
    )


class LeaveGroupRequest(Message):
    group_id: str = ""
    member_id: str = ""
    members: list[MemberIdentity] = []

    FIELDS = (
        Field("group_id", "string"),
        Field("member_id", "string", (0, 2)),
        Field("members", MemberIdentity, (3, LAST), array=True),
    )
    NAME = "LeaveGroupRequest"
    API_KEY = 13
    VERSIONS = (0, 5)
    FLEXIBLE = 4
