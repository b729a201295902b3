"""CreateDelegationTokenRequest (request, key 38), v1-3.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class CreatableRenewers(WireStruct):
    principal_type: str = ""
    principal_name: str = ""

    FIELDS = (
        Field("principal_type", "string"),
        Field("principal_name", "string"),
    )


class CreateDelegationTokenRequest(Message):
    owner_principal_type: str | None = ""
    owner_principal_name: str | None = ""
    renewers: list[CreatableRenewers] = []
    max_lifetime_ms: int = 0

    FIELDS = (
        Field("owner_principal_type", "string", (3, LAST), nullable=(3, LAST)),
        Field("owner_principal_name", "string", (3, LAST), nullable=(3, LAST)),
        Field("renewers", CreatableRenewers, array=True),
        Field("max_lifetime_ms", "int64"),
    )
    NAME = "CreateDelegationTokenRequest"
    API_KEY = 38
    VERSIONS = (1, 3)
    FLEXIBLE = 2
