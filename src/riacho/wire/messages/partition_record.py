"""PartitionRecord (metadata, number 3), v0-2.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message


class PartitionRecord(Message):
    partition_id: int = -1
    topic_id: bytes = ZERO_UUID
    replicas: list[int] = []
    isr: list[int] = []
    removing_replicas: list[int] = []
    adding_replicas: list[int] = []
    leader: int = -1
    leader_recovery_state: int = 0
    leader_epoch: int = -1
    partition_epoch: int = -1
    directories: list[bytes] = []
    eligible_leader_replicas: list[int] | None = None
    last_known_elr: list[int] | None = None

    FIELDS = (
        Field("partition_id", "int32", default=-1),
        Field("topic_id", "uuid"),
        Field("replicas", "int32", array=True),
        Field("isr", "int32", array=True),
        Field("removing_replicas", "int32", array=True),
        Field("adding_replicas", "int32", array=True),
        Field("leader", "int32", default=-1),
        Field("leader_recovery_state", "int8", tag=0),
        Field("leader_epoch", "int32", default=-1),
        Field("partition_epoch", "int32", default=-1),
        Field("directories", "uuid", (1, LAST), array=True),
        Field("eligible_leader_replicas", "int32", (2, LAST), array=True, nullable=(2, LAST), tag=1, default=None),
        Field("last_known_elr", "int32", (2, LAST), array=True, nullable=(2, LAST), tag=2, default=None),
    )
    NAME = "PartitionRecord"
    API_KEY = 3
    VERSIONS = (0, 2)
    FLEXIBLE = 0
