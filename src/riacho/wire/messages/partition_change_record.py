"""PartitionChangeRecord (metadata, number 5), v0-2.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message


class PartitionChangeRecord(Message):
    partition_id: int = -1
    topic_id: bytes = ZERO_UUID
    isr: list[int] | None = None
    leader: int = -2
    replicas: list[int] | None = None
    removing_replicas: list[int] | None = None
    adding_replicas: list[int] | None = None
    leader_recovery_state: int = -1
    directories: list[bytes] | None = None
    eligible_leader_replicas: list[int] | None = None
    last_known_elr: list[int] | None = None

    FIELDS = (
        Field("partition_id", "int32", default=-1),
        Field("topic_id", "uuid"),
        Field("isr", "int32", array=True, nullable=(0, LAST), tag=0, default=None),
        Field("leader", "int32", tag=1, default=-2),
        Field("replicas", "int32", array=True, nullable=(0, LAST), tag=2, default=None),
        Field("removing_replicas", "int32", array=True, nullable=(0, LAST), tag=3, default=None),
        Field("adding_replicas", "int32", array=True, nullable=(0, LAST), tag=4, default=None),
        Field("leader_recovery_state", "int8", tag=5, default=-1),
        Field("directories", "uuid", (1, LAST), array=True, nullable=(1, LAST), tag=8, default=None),
        Field("eligible_leader_replicas", "int32", (2, LAST), array=True, nullable=(2, LAST), tag=6, default=None),
        Field("last_known_elr", "int32", (2, LAST), array=True, nullable=(2, LAST), tag=7, default=None),
    )
    NAME = "PartitionChangeRecord"
    API_KEY = 5
    VERSIONS = (0, 2)
    FLEXIBLE = 0
