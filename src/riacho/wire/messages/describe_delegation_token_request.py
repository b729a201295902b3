"""DescribeDelegationTokenRequest (request, key 41), v1-3.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class DescribeDelegationTokenOwner(WireStruct):
    principal_type: str = ""
    principal_name: str = ""

    FIELDS = (
        Field("principal_type", "string"),
        Field("principal_name", "string"),
    )


class DescribeDelegationTokenRequest(Message):
    owners: list[DescribeDelegationTokenOwner] | None = []

    FIELDS = (Field("owners", DescribeDelegationTokenOwner, array=True, nullable=(0, LAST)),)
    NAME = "DescribeDelegationTokenRequest"
    API_KEY = 41
    VERSIONS = (1, 3)
    FLEXIBLE = 2
