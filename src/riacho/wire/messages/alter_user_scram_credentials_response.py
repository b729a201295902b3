"""AlterUserScramCredentialsResponse (response, key 51), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class AlterUserScramCredentialsResult(WireStruct):
    user: str = ""
    error_code: int = 0
    error_message: str | None = ""

    FIELDS = (
        Field("user", "string"),
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST)),
    )


class AlterUserScramCredentialsResponse(Message):
    throttle_time_ms: int = 0
    results: list[AlterUserScramCredentialsResult] = []

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("results", AlterUserScramCredentialsResult, array=True),
    )
    NAME = "AlterUserScramCredentialsResponse"
    API_KEY = 51
    VERSIONS = (0, 0)
    FLEXIBLE = 0
