"""DescribeDelegationTokenResponse (response, key 41), v1-3.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class DescribedDelegationTokenRenewer(WireStruct):
    principal_type: str = ""
    principal_name: str = ""

    FIELDS = (
        Field("principal_type", "string"),
        Field("principal_name", "string"),
    )


class DescribedDelegationToken(WireStruct):
    principal_type: str = ""
    principal_name: str = ""
    token_requester_principal_type: str = ""
    token_requester_principal_name: str = ""
    issue_timestamp: int = 0
    expiry_timestamp: int = 0
    max_timestamp: int = 0
    token_id: str = ""
    hmac: bytes = b""
    renewers: list[DescribedDelegationTokenRenewer] = []

    FIELDS = (
        Field("principal_type", "string"),
        Field("principal_name", "string"),
        Field("token_requester_principal_type", "string", (3, LAST)),
        Field("token_requester_principal_name", "string", (3, LAST)),
        Field("issue_timestamp", "int64"),
        Field("expiry_timestamp", "int64"),
        Field("max_timestamp", "int64"),
        Field("token_id", "string"),
        Field("hmac", "bytes"),
        Field("renewers", DescribedDelegationTokenRenewer, array=True),
    )


class DescribeDelegationTokenResponse(Message):
    error_code: int = 0
    tokens: list[DescribedDelegationToken] = []
    throttle_time_ms: int = 0

    FIELDS = (
        Field("error_code", "int16"),
        Field("tokens", DescribedDelegationToken, array=True),
        Field("throttle_time_ms", "int32"),
    )
    NAME = "DescribeDelegationTokenResponse"
    API_KEY = 41
    VERSIONS = (1, 3)
    FLEXIBLE = 2
