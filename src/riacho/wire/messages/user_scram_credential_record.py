"""UserScramCredentialRecord (metadata, number 11), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class UserScramCredentialRecord(Message):
    name: str = ""
    mechanism: int = 0
    salt: bytes = b""
    stored_key: bytes = b""
    server_key: bytes = b""
    iterations: int = 0

    FIELDS = (
        Field("name", "string"),
        Field("mechanism", "int8"),
        Field("salt", "bytes"),
        Field("stored_key", "bytes"),
        Field("server_key", "bytes"),
        Field("iterations", "int32"),
    )
    NAME = "UserScramCredentialRecord"
    API_KEY = 11
    VERSIONS = (0, 0)
    FLEXIBLE = 0
