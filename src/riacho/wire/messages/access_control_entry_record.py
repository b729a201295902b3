"""AccessControlEntryRecord (metadata, number 18), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import Field, Message


class AccessControlEntryRecord(Message):
    id: bytes = ZERO_UUID
    resource_type: int = 0
    resource_name: str = ""
    pattern_type: int = 0
    principal: str = ""
    host: str = ""
    operation: int = 0
    permission_type: int = 0

    FIELDS = (
        Field("id", "uuid"),
        Field("resource_type", "int8"),
        Field("resource_name", "string"),
        Field("pattern_type", "int8"),
        Field("principal", "string"),
        Field("host", "string"),
        Field("operation", "int8"),
        Field("permission_type", "int8"),
    )
    NAME = "AccessControlEntryRecord"
    API_KEY = 18
    VERSIONS = (0, 0)
    FLEXIBLE = 0
