"""DescribeClientQuotasResponse (response, key 48), v0-1.

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


class ValueData(WireStruct):
    key: str = ""
    value: float = 0.0

    FIELDS = (
        Field("key", "string"),
        Field("value", "float64"),
    )


class EntryData(WireStruct):
    entity: list[EntityData] = []
    values: list[ValueData] = []

    FIELDS = (
        Field("entity", EntityData, array=True),
        Field("values", ValueData, array=True),
    )


class DescribeClientQuotasResponse(Message):
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""
    entries: list[EntryData] | None = []

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST)),
        Field("entries", EntryData, array=True, nullable=(0, LAST)),
    )
    NAME = "DescribeClientQuotasResponse"
    API_KEY = 48
    VERSIONS = (0, 1)
    FLEXIBLE = 1
