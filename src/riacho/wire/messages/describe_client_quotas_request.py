"""DescribeClientQuotasRequest (request, key 48), v0-1.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class ComponentData(WireStruct):
    entity_type: str = ""
    match_type: int = 0
    match: str | None = ""

    FIELDS = (
        Field("entity_type", "string"),
        Field("match_type", "int8"),
        Field("match", "string", nullable=(0, LAST)),
    )


class DescribeClientQuotasRequest(Message):
    components: list[ComponentData] = []
    strict: bool = False

    FIELDS = (
        Field("components", ComponentData, array=True),
        Field("strict", "bool"),
    )
    NAME = "DescribeClientQuotasRequest"
    API_KEY = 48
    VERSIONS = (0, 1)
    FLEXIBLE = 1
