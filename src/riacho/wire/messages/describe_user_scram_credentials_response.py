"""DescribeUserScramCredentialsResponse (response, key 50), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class CredentialInfo(WireStruct):
    mechanism: int = 0
    iterations: int = 0

    FIELDS = (
        Field("mechanism", "int8"),
        Field("iterations", "int32"),
    )


class DescribeUserScramCredentialsResult(WireStruct):
    user: str = ""
    error_code: int = 0
    error_message: str | None = ""
    credential_infos: list[CredentialInfo] = []

    FIELDS = (
        Field("user", "string"),
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST)),
        Field("credential_infos", CredentialInfo, array=True),
    )


class DescribeUserScramCredentialsResponse(Message):
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""
    results: list[DescribeUserScramCredentialsResult] = []

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST)),
        Field("results", DescribeUserScramCredentialsResult, array=True),
    )
    NAME = "DescribeUserScramCredentialsResponse"
    API_KEY = 50
    VERSIONS = (0, 0)
    FLEXIBLE = 0
