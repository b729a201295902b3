"""KRaftVersionRecord (data), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class KRaftVersionRecord(Message):
    version: int = 0
    kraft_version: int = 0

    FIELDS = (
        Field("version", "int16"),
        Field("kraft_version", "int16"),
    )
    NAME = "KRaftVersionRecord"
    VERSIONS = (0, 0)
    FLEXIBLE = 0
