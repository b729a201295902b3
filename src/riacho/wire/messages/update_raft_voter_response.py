"""UpdateRaftVoterResponse (response, key 82), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from msgspec import field

from riacho.wire.schema import Field, Message, WireStruct


class CurrentLeader(WireStruct):
    leader_id: int = -1
    leader_epoch: int = -1
    host: str = ""
    port: int = 0

    FIELDS = (
        Field("leader_id", "int32", default=-1),
        Field("leader_epoch", "int32", default=-1),
        Field("host", "string"),
        Field("port", "int32"),
    )


class UpdateRaftVoterResponse(Message):
    throttle_time_ms: int = 0
    error_code: int = 0
    current_leader: CurrentLeader = field(default_factory=CurrentLeader)

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("error_code", "int16"),
        Field("current_leader", CurrentLeader, tag=0),
    )
    NAME = "UpdateRaftVoterResponse"
    API_KEY = 82
    VERSIONS = (0, 0)
    FLEXIBLE = 0
