"""AddRaftVoterRequest (request, key 80), v0-1.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


class Listener(WireStruct):
    name: str = ""
    host: str = ""
    port: int = 0

    FIELDS = (
        Field("name", "string"),
        Field("host", "string"),
        Field("port", "uint16"),
    )


class AddRaftVoterRequest(Message):
    cluster_id: str | None = ""
    timeout_ms: int = 0
    voter_id: int = 0
    voter_directory_id: bytes = ZERO_UUID
    listeners: list[Listener] = []
    ack_when_committed: bool = True

    FIELDS = (
        Field("cluster_id", "string", nullable=(0, LAST)),
        Field("timeout_ms", "int32"),
        Field("voter_id", "int32"),
        Field("voter_directory_id", "uuid"),
        Field("listeners", Listener, array=True),
        Field("ack_when_committed", "bool", (1, LAST), default=True),
    )
    NAME = "AddRaftVoterRequest"
    API_KEY = 80
    VERSIONS = (0, 1)
    FLEXIBLE = 0
