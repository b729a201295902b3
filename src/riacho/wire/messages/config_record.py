"""ConfigRecord (metadata, number 4), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message


class ConfigRecord(Message):
    resource_type: int = 0
    resource_name: str = ""
    name: str = ""
    value: str | None = ""

    FIELDS = (
        Field("resource_type", "int8"),
        Field("resource_name", "string"),
        Field("name", "string"),
        Field("value", "string", nullable=(0, LAST)),
    )
    NAME = "ConfigRecord"
    API_KEY = 4
    VERSIONS = (0, 0)
    FLEXIBLE = 0
