"""OffsetCommitValue (coordinator value, number 1), v0-4.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message


class OffsetCommitValue(Message):
    offset: int = 0
    leader_epoch: int = -1
    metadata: str = ""
    commit_timestamp: int = 0
    expire_timestamp: int = -1
    topic_id: bytes = ZERO_UUID

    FIELDS = (
        Field("offset", "int64"),
        Field("leader_epoch", "int32", (3, LAST), default=-1, ignorable=True),
        Field("metadata", "string"),
        Field("commit_timestamp", "int64"),
        Field("expire_timestamp", "int64", (1, 1), default=-1, ignorable=True),
        Field("topic_id", "uuid", (4, LAST), tag=0, ignorable=True),
    )
    NAME = "OffsetCommitValue"
    API_KEY = 1
    VERSIONS = (0, 4)
    FLEXIBLE = 4
