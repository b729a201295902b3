"""ListGroupsResponse (response, key 16), v0-5.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class ListedGroup(WireStruct):
    group_id: str = ""
    protocol_type: str = ""
    group_state: str = ""
    group_type: str = ""

    FIELDS = (
        Field("group_id", "string"),
        Field("protocol_type", "string"),
        Field("group_state", "string", (4, LAST), ignorable=True),
        Field("group_type", "string", (5, LAST), ignorable=True),
    )


class ListGroupsResponse(Message):
    throttle_time_ms: int = 0
    error_code: int = 0
    groups: list[ListedGroup] = []

    FIELDS = (
        Field("throttle_time_ms", "int32", (1, LAST), ignorable=True),
        Field("error_code", "int16"),
        Field("groups", ListedGroup, array=True),
    )
    NAME = "ListGroupsResponse"
    API_KEY = 16
    VERSIONS = (0, 5)
    FLEXIBLE = 3
