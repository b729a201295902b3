"""QuorumStateData (data), v0-1.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


class Voter(WireStruct):
    voter_id: int = 0

    FIELDS = (Field("voter_id", "int32", (0, 0)),)


class QuorumStateData(Message):
    cluster_id: str = ""
    leader_id: int = -1
    leader_epoch: int = -1
    voted_id: int = -1
    voted_directory_id: bytes = ZERO_UUID
    applied_offset: int = 0
    current_voters: list[Voter] | None = []

    FIELDS = (
        Field("cluster_id", "string", (0, 0)),
        Field("leader_id", "int32", default=-1),
        Field("leader_epoch", "int32", default=-1),
        Field("voted_id", "int32", default=-1),
        Field("voted_directory_id", "uuid", (1, LAST)),
        Field("applied_offset", "int64", (0, 0)),
        Field("current_voters", Voter, (0, 0), array=True, nullable=(0, 0)),
    )
    NAME = "QuorumStateData"
    VERSIONS = (0, 1)
    FLEXIBLE = 0
