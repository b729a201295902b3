"""ConsumerGroupMemberMetadataValue (coordinator value, number 5), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class ClassicProtocol(WireStruct):
    name: str = ""
    metadata: bytes = b""

    FIELDS = (
        Field("name", "string"),
        Field("metadata", "bytes"),
    )


class ClassicMemberMetadata(WireStruct):
    session_timeout_ms: int = 0
    supported_protocols: list[ClassicProtocol] = []

    FIELDS = (
        Field("session_timeout_ms", "int32"),
        Field("supported_protocols", ClassicProtocol, array=True),
    )


class ConsumerGroupMemberMetadataValue(Message):
    instance_id: str | None = ""
    rack_id: str | None = ""
    client_id: str = ""
    client_host: str = ""
    subscribed_topic_names: list[str] = []
    subscribed_topic_regex: str | None = ""
    rebalance_timeout_ms: int = -1
    server_assignor: str | None = ""
    classic_member_metadata: ClassicMemberMetadata | None = None

    FIELDS = (
        Field("instance_id", "string", nullable=(0, LAST)),
        Field("rack_id", "string", nullable=(0, LAST)),
        Field("client_id", "string"),
        Field("client_host", "string"),
        Field("subscribed_topic_names", "string", array=True),
        Field("subscribed_topic_regex", "string", nullable=(0, LAST)),
        Field("rebalance_timeout_ms", "int32", default=-1),
        Field("server_assignor", "string", nullable=(0, LAST)),
        Field("classic_member_metadata", ClassicMemberMetadata, nullable=(0, LAST), tag=0, default=None),
    )
    NAME = "ConsumerGroupMemberMetadataValue"
    API_KEY = 5
    VERSIONS = (0, 0)
    FLEXIBLE = 0
