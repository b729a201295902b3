"""JoinGroupRequest (request, key 11), v0-9.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class JoinGroupRequestProtocol(WireStruct):
    name: str = ""
    metadata: bytes = b""

    FIELDS = (
        Field("name", "string"),
        Field("metadata", "bytes"),
    )


class JoinGroupRequest(Message):
    group_id: str = ""
    session_timeout_ms: int = 0
    rebalance_timeout_ms: int = -1
    member_id: str = ""
    group_instance_id: str | None = None
    protocol_type: str = ""
    protocols: list[JoinGroupRequestProtocol] = []
    reason: str | None = None

    FIELDS = (
        Field("group_id", "string"),
        Field("session_timeout_ms", "int32"),
        Field("rebalance_timeout_ms", "int32", (1, LAST), default=-1, ignorable=True),
        Field("member_id", "string"),
        Field("group_instance_id", "string", (5, LAST), nullable=(5, LAST), default=None),
        Field("protocol_type", "string"),
        Field("protocols", JoinGroupRequestProtocol, array=True),
        Field("reason", "string", (8, LAST), nullable=(8, LAST), default=None, ignorable=True),
    )
    NAME = "JoinGroupRequest"
    API_KEY = 11
    VERSIONS = (0, 9)
    FLEXIBLE = 6
