"""DeleteGroupsResponse (response, key 42), v0-2.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message, WireStruct


class DeletableGroupResult(WireStruct):
    group_id: str = ""
    error_code: int = 0

    FIELDS = (
        Field("group_id", "string"),
        Field("error_code", "int16"),
    )


class DeleteGroupsResponse(Message):
    throttle_time_ms: int = 0
    results: list[DeletableGroupResult] = []

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("results", DeletableGroupResult, array=True),
    )
    NAME = "DeleteGroupsResponse"
    API_KEY = 42
    VERSIONS = (0, 2)
    FLEXIBLE = 2
