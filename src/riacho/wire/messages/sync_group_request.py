"""SyncGroupRequest (request, key 14), v0-5.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class SyncGroupRequestAssignment(WireStruct):
    member_id: str = ""
    assignment: bytes = b""

    FIELDS = (
        Field("member_id", "string"),
        Field("assignment", "bytes"),
    )


class SyncGroupRequest(Message):
    group_id: str = ""
    generation_id: int = 0
    member_id: str = ""
    group_instance_id: str | None = None
    protocol_type: str | None = None
    protocol_name: str | None = None
    assignments: list[SyncGroupRequestAssignment] = []

    FIELDS = (
        Field("group_id", "string"),
        Field("generation_id", "int32"),
        Field("member_id", "string"),
        Field("group_instance_id", "string", (3, LAST), nullable=(3, LAST), default=None),
        Field("protocol_type", "string", (5, LAST), nullable=(5, LAST), default=None, ignorable=True),
        Field("protocol_name", "string", (5, LAST), nullable=(5, LAST), default=None, ignorable=True),
        Field("assignments", SyncGroupRequestAssignment, array=True),
    )
    NAME = "SyncGroupRequest"
    API_KEY = 14
    VERSIONS = (0, 5)
    FLEXIBLE = 4
