"""AlterClientQuotasResponse (response, key 49), v0-1.

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


class EntryData(WireStruct):
    error_code: int = 0
    error_message: str | None = ""
    entity: list[EntityData] = []

    FIELDS = (
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST)),
        Field("entity", EntityData, array=True),
    )


class AlterClientQuotasResponse(Message):
    throttle_time_ms: int = 0
    entries: list[EntryData] = []

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("entries", EntryData, array=True),
    )
    NAME = "AlterClientQuotasResponse"
    API_KEY = 49
    VERSIONS = (0, 1)
    FLEXIBLE = 1
