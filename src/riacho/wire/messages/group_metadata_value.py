"""GroupMetadataValue (coordinator value, number 2), v0-4.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class MemberMetadata(WireStruct):
    member_id: str = ""
    group_instance_id: str | None = None
    client_id: str = ""
    client_host: str = ""
    rebalance_timeout: int = -1
    session_timeout: int = 0
    subscription: bytes = b""
    assignment: bytes = b""

    FIELDS = (
        Field("member_id", "string"),
        Field("group_instance_id", "string", (3, LAST), nullable=(3, LAST), default=None, ignorable=True),
        Field("client_id", "string"),
        Field("client_host", "string"),
        Field("rebalance_timeout", "int32", (1, LAST), default=-1, ignorable=True),
        Field("session_timeout", "int32"),
        Field("subscription", "bytes"),
        Field("assignment", "bytes"),
    )


class GroupMetadataValue(Message):
    protocol_type: str = ""
    generation: int = 0
    protocol: str | None = ""
    leader: str | None = ""
    current_state_timestamp: int = -1
    members: list[MemberMetadata] = []

    FIELDS = (
        Field("protocol_type", "string"),
        Field("generation", "int32"),
        Field("protocol", "string", nullable=(0, LAST)),
        Field("leader", "string", nullable=(0, LAST)),
        Field("current_state_timestamp", "int64", (2, LAST), default=-1, ignorable=True),
        Field("members", MemberMetadata, array=True),
    )
    NAME = "GroupMetadataValue"
    API_KEY = 2
    VERSIONS = (0, 4)
    FLEXIBLE = 4
