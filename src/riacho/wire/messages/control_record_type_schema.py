"""ControlRecordTypeSchema (data), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class ControlRecordTypeSchema(Message):
    type: int = 0

    FIELDS = (Field("type", "int16"),)
    NAME = "ControlRecordTypeSchema"
    VERSIONS = (0, 0)
