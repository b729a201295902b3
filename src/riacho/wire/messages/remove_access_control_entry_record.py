"""RemoveAccessControlEntryRecord (metadata, number 19), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import Field, Message


class RemoveAccessControlEntryRecord(Message):
    id: bytes = ZERO_UUID

    FIELDS = (Field("id", "uuid"),)
    NAME = "RemoveAccessControlEntryRecord"
    API_KEY = 19
    VERSIONS = (0, 0)
    FLEXIBLE = 0
