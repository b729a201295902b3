"""SnapshotFooterRecord (data), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class SnapshotFooterRecord(Message):
    version: int = 0

    FIELDS = (Field("version", "int16"),)
    NAME = "SnapshotFooterRecord"
    VERSIONS = (0, 0)
    FLEXIBLE = 0
