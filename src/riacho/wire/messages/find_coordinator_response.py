"""FindCoordinatorResponse (response, key 10), v0-6.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class Coordinator(WireStruct):
    key: str = ""
    node_id: int = 0
    host: str = ""
    port: int = 0
    error_code: int = 0
    error_message: str | None = ""

    FIELDS = (
        Field("key", "string", (4, LAST)),
        Field("node_id", "int32", (4, LAST)),
        Field("host", "string", (4, LAST)),
        Field("port", "int32", (4, LAST)),
        Field("error_code", "int16", (4, LAST)),
        Field("error_message", "string", (4, LAST), nullable=(4, LAST), ignorable=True),
    )


class FindCoordinatorResponse(Message):
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""
    node_id: int = 0
    host: str = ""
    port: int = 0
    coordinators: list[Coordinator] = []

    FIELDS = (
        Field("throttle_time_ms", "int32", (1, LAST), ignorable=True),
        Field("error_code", "int16", (0, 3)),
        Field("error_message", "string", (1, 3), nullable=(1, 3), ignorable=True),
        Field("node_id", "int32", (0, 3)),
        Field("host", "string", (0, 3)),
        Field("port", "int32", (0, 3)),
        Field("coordinators", Coordinator, (4, LAST), array=True),
    )
    NAME = "FindCoordinatorResponse"
    API_KEY = 10
    VERSIONS = (0, 6)
    FLEXIBLE = 3
