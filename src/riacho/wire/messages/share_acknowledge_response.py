"""ShareAcknowledgeResponse (response, key 79), v1-2.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from msgspec import field

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


class LeaderIdAndEpoch(WireStruct):
    leader_id: int = 0
    leader_epoch: int = 0

    FIELDS = (
        Field("leader_id", "int32"),
        Field("leader_epoch", "int32"),
    )


class PartitionData(WireStruct):
    partition_index: int = 0
    error_code: int = 0
    error_message: str | None = None
    current_leader: LeaderIdAndEpoch = field(default_factory=LeaderIdAndEpoch)

    FIELDS = (
        Field("partition_index", "int32"),
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST), default=None),
        Field("current_leader", LeaderIdAndEpoch),
    )


class ShareAcknowledgeTopicResponse(WireStruct):
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionData] = []

    FIELDS = (
        Field("topic_id", "uuid"),
        Field("partitions", PartitionData, array=True),
    )


class NodeEndpoint(WireStruct):
    node_id: int = 0
    host: str = ""
    port: int = 0
    rack: str | None = None

    FIELDS = (
        Field("node_id", "int32"),
        Field("host", "string"),
        Field("port", "int32"),
        Field("rack", "string", nullable=(0, LAST), default=None),
    )


class ShareAcknowledgeResponse(Message):
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = None
    acquisition_lock_timeout_ms: int = 0
    responses: list[ShareAcknowledgeTopicResponse] = []
    node_endpoints: list[NodeEndpoint] = []

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST), default=None),
        Field("acquisition_lock_timeout_ms", "int32", (2, LAST), ignorable=True),
        Field("responses", ShareAcknowledgeTopicResponse, array=True),
        Field("node_endpoints", NodeEndpoint, array=True),
    )
    NAME = "ShareAcknowledgeResponse"
    API_KEY = 79
    VERSIONS = (1, 2)
    FLEXIBLE = 0
