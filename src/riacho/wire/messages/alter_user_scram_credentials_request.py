"""AlterUserScramCredentialsRequest (request, key 51), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message, WireStruct


class ScramCredentialDeletion(WireStruct):
    name: str = ""
    mechanism: int = 0

    FIELDS = (
        Field("name", "string"),
        Field("mechanism", "int8"),
    )


class ScramCredentialUpsertion(WireStruct):
    name: str = ""
    mechanism: int = 0
    iterations: int = 0
    salt: bytes = b""
    salted_password: bytes = b""

    FIELDS = (
        Field("name", "string"),
        Field("mechanism", "int8"),
        Field("iterations", "int32"),
        Field("salt", "bytes"),
        Field("salted_password", "bytes"),
    )


class AlterUserScramCredentialsRequest(Message):
    deletions: list[ScramCredentialDeletion] = []
    upsertions: list[ScramCredentialUpsertion] = []

    FIELDS = (
        Field("deletions", ScramCredentialDeletion, array=True),
        Field("upsertions", ScramCredentialUpsertion, array=True),
    )
    NAME = "AlterUserScramCredentialsRequest"
    API_KEY = 51
    VERSIONS = (0, 0)
    FLEXIBLE = 0
