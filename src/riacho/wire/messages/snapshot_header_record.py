"""SnapshotHeaderRecord (data), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class SnapshotHeaderRecord(Message):
    version: int = 0
    last_contained_log_timestamp: int = 0

    FIELDS = (
        Field("version", "int16"),
        Field("last_contained_log_timestamp", "int64"),
    )
    NAME = "SnapshotHeaderRecord"
    VERSIONS = (0, 0)
    FLEXIBLE = 0
