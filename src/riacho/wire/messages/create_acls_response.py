"""CreateAclsResponse (response, key 30), v1-3.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class AclCreationResult(WireStruct):
    error_code: int = 0
    error_message: str | None = ""

    FIELDS = (
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST)),
    )


class CreateAclsResponse(Message):
    throttle_time_ms: int = 0
    results: list[AclCreationResult] = []

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("results", AclCreationResult, array=True),
    )
    NAME = "CreateAclsResponse"
    API_KEY = 30
    VERSIONS = (1, 3)
    FLEXIBLE = 2
