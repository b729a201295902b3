"""ShareSnapshotValue (coordinator value, number 0), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message, WireStruct


class StateBatch(WireStruct):
    first_offset: int = 0
    last_offset: int = 0
    delivery_state: int = 0
    delivery_count: int = 0

    FIELDS = (
        Field("first_offset", "int64"),
        Field("last_offset", "int64"),
        Field("delivery_state", "int8"),
        Field("delivery_count", "int16"),
    )


class ShareSnapshotValue(Message):
    snapshot_epoch: int = 0
    state_epoch: int = 0
    leader_epoch: int = 0
    start_offset: int = 0
    delivery_complete_count: int = -1
    create_timestamp: int = 0
    write_timestamp: int = 0
    state_batches: list[StateBatch] = []

    FIELDS = (
        Field("snapshot_epoch", "int32"),
        Field("state_epoch", "int32"),
        Field("leader_epoch", "int32"),
        Field("start_offset", "int64"),
        Field("delivery_complete_count", "int32", tag=0, default=-1),
        Field("create_timestamp", "int64"),
        Field("write_timestamp", "int64"),
        Field("state_batches", StateBatch, array=True),
    )
    NAME = "ShareSnapshotValue"
    API_KEY = 0
    VERSIONS = (0, 0)
    FLEXIBLE = 0
