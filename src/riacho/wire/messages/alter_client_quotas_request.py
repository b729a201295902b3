"""AlterClientQuotasRequest (request, key 49), v0-1.

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


class OpData(WireStruct):
    key: str = ""
    value: float = 0.0
    remove: bool = False

    FIELDS = (
        Field("key", "string"),
        Field("value", "float64"),
        Field("remove", "bool"),
    )


class EntryData(WireStruct):
    entity: list[EntityData] = []
    ops: list[OpData] = []

    FIELDS = (
        Field("entity", EntityData, array=True),
        Field("ops", OpData, array=True),
    )


class AlterClientQuotasRequest(Message):
    entries: list[EntryData] = []
    validate_only: bool = False

    FIELDS = (
        Field("entries", EntryData, array=True),
        Field("validate_only", "bool"),
    )
    NAME = "AlterClientQuotasRequest"
    API_KEY = 49
    VERSIONS = (0, 1)
    FLEXIBLE = 1
