"""CreateDelegationTokenResponse (response, key 38), v1-3.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message


class CreateDelegationTokenResponse(Message):
    error_code: int = 0
    principal_type: str = ""
    principal_name: str = ""
    token_requester_principal_type: str = ""
    token_requester_principal_name: str = ""
    issue_timestamp_ms: int = 0
    expiry_timestamp_ms: int = 0
    max_timestamp_ms: int = 0
    token_id: str = ""
    hmac: bytes = b""
    throttle_time_ms: int = 0

    FIELDS = (
        Field("error_code", "int16"),
        Field("principal_type", "string"),
        Field("principal_name", "string"),
        Field("token_requester_principal_type", "string", (3, LAST)),
        Field("token_requester_principal_name", "string", (3, LAST)),
        Field("issue_timestamp_ms", "int64"),
        Field("expiry_timestamp_ms", "int64"),
        Field("max_timestamp_ms", "int64"),
        Field("token_id", "string"),
        Field("hmac", "bytes"),
        Field("throttle_time_ms", "int32"),
    )
    NAME = "CreateDelegationTokenResponse"
    API_KEY = 38
    VERSIONS = (1, 3)
    FLEXIBLE = 2
