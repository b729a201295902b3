"""UpdateRaftVoterRequest (request, key 82), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from msgspec import field

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


class KRaftVersionFeature(WireStruct):
    min_supported_version: int = 0
    max_supported_version: int = 0

    FIELDS = (
        Field("min_supported_version", "int16"),
        Field("max_supported_version", "int16"),
    )


class UpdateRaftVoterRequest(Message):
    cluster_id: str | None = ""
    current_leader_epoch: int = 0
    voter_id: int = 0
    voter_directory_id: bytes = ZERO_UUID
    listeners: list[Listener] = []
    kraft_version_feature: KRaftVersionFeature = field(default_factory=KRaftVersionFeature)

    FIELDS = (
        Field("cluster_id", "string", nullable=(0, LAST)),
        Field("current_leader_epoch", "int32"),
        Field("voter_id", "int32"),
        Field("voter_directory_id", "uuid"),
        Field("listeners", Listener, array=True),
        Field("kraft_version_feature", KRaftVersionFeature),
    )
    NAME = "UpdateRaftVoterRequest"
    API_KEY = 82
    VERSIONS = (0, 0)
    FLEXIBLE = 0
