"""StreamsGroupMemberMetadataValue (coordinator value, number 19), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class Endpoint(WireStruct):
    host: str = ""
    port: int = 0

    FIELDS = (
        Field("host", "string"),
        Field("port", "uint16"),
    )


class KeyValue(WireStruct):
    key: str = ""
    value: str = ""

    FIELDS = (
        Field("key", "string"),
        Field("value", "string"),
    )


class StreamsGroupMemberMetadataValue(Message):
    instance_id: str | None = ""
    rack_id: str | None = ""
    client_id: str = ""
    client_host: str = ""
    rebalance_timeout_ms: int = -1
    topology_epoch: int = 0
    process_id: str = ""
    user_endpoint: Endpoint | None = None
    client_tags: list[KeyValue] = []

    FIELDS = (
        Field("instance_id", "string", nullable=(0, LAST)),
        Field("rack_id", "string", nullable=(0, LAST)),
        Field("client_id", "string"),
        Field("client_host", "string"),
        Field("rebalance_timeout_ms", "int32", default=-1),
        Field("topology_epoch", "int32"),
        Field("process_id", "string"),
        Field("user_endpoint", Endpoint, nullable=(0, LAST), default=None),
        Field("client_tags", KeyValue, array=True),
    )
    NAME = "StreamsGroupMemberMetadataValue"
    API_KEY = 19
    VERSIONS = (0, 0)
    FLEXIBLE = 0
