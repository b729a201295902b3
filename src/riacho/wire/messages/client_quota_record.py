"""ClientQuotaRecord (metadata, number 14), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class EntityData(WireStruct):
    entity_type: str = ""
    entity_name: str | None = ""

    FIELDS = (
        Field("entity_type", "string"),
        Field("entity_name", "string", nullable=(0, LAST)),
    )


class ClientQuotaRecord(Message):
    entity: list[EntityData] = []
    key: str = ""
    value: float = 0.0
    remove: bool = False

    FIELDS = (
        Field("entity", EntityData, array=True),
        Field("key", "string"),
        Field("value", "float64"),
        Field("remove", "bool"),
    )
    NAME = "ClientQuotaRecord"
    API_KEY = 14
    VERSIONS = (0, 0)
    FLEXIBLE = 0
