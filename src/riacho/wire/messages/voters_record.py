"""VotersRecord (data), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from msgspec import field

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import Field, Message, WireStruct


class Endpoint(WireStruct):
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


class Voter(WireStruct):
    voter_id: int = 0
    voter_directory_id: bytes = ZERO_UUID
    endpoints: list[Endpoint] = []
    kraft_version_feature: KRaftVersionFeature = field(default_factory=KRaftVersionFeature)

    FIELDS = (
        Field("voter_id", "int32"),
        Field("voter_directory_id", "uuid"),
        Field("endpoints", Endpoint, array=True),
        Field("kraft_version_feature", KRaftVersionFeature),
    )


class VotersRecord(Message):
    version: int = 0
    voters: list[Voter] = []

    FIELDS = (
        Field("version", "int16"),
        Field("voters", Voter, array=True),
    )
    NAME = "VotersRecord"
    VERSIONS = (0, 0)
    FLEXIBLE = 0
