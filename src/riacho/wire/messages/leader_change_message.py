"""LeaderChangeMessage (data), v0-1.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


class Voter(WireStruct):
    voter_id: int = 0
    voter_directory_id: bytes = ZERO_UUID

    FIELDS = (
        Field("voter_id", "int32"),
        Field("voter_directory_id", "uuid", (1, LAST)),
    )


class LeaderChangeMessage(Message):
    version: int = 0
    leader_id: int = 0
    voters: list[Voter] = []
    granting_voters: list[Voter] = []

    FIELDS = (
        Field("version", "int16"),
        Field("leader_id", "int32"),
        Field("voters", Voter, array=True),
        Field("granting_voters", Voter, array=True),
    )
    NAME = "LeaderChangeMessage"
    VERSIONS = (0, 1)
    FLEXIBLE = 0
