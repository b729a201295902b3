"""ZkMigrationStateRecord (metadata, number 21), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class ZkMigrationStateRecord(Message):
    zk_migration_state: int = 0

    FIELDS = (Field("zk_migration_state", "int8"),)
    NAME = "ZkMigrationStateRecord"
    API_KEY = 21
    VERSIONS = (0, 0)
    FLEXIBLE = 0
