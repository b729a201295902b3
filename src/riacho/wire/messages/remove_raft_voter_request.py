"""RemoveRaftVoterRequest (request, key 81), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message


class RemoveRaftVoterRequest(Message):
    cluster_id: str | None = ""
    voter_id: int = 0
    voter_directory_id: bytes = ZERO_UUID

    FIELDS = (
        Field("cluster_id", "string", nullable=(0, LAST)),
        Field("voter_id", "int32"),
        Field("voter_directory_id", "uuid"),
    )
    NAME = "RemoveRaftVoterRequest"
    API_KEY = 81
    VERSIONS = (0, 0)
    FLEXIBLE = 0
