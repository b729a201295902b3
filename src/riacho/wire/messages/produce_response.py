"""ProduceResponse (response, key 0), v3-13.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from msgspec import field

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


class BatchIndexAndErrorMessage(WireStruct):
    batch_index: int = 0
    batch_index_error_message: str | None = None

    FIELDS = (
        Field("batch_index", "int32", (8, LAST)),
        Field("batch_index_error_message", "string", (8, LAST), nullable=(8, LAST), default=None),
    )


class LeaderIdAndEpoch(WireStruct):
    leader_id: int = -1
    leader_epoch: int = -1

    FIELDS = (
        Field("leader_id", "int32", (10, LAST), default=-1),
        Field("leader_epoch", "int32", (10, LAST), default=-1),
    )


class PartitionProduceResponse(WireStruct):
    index: int = 0
    error_code: int = 0
    base_offset: int = 0
    log_append_time_ms: int = -1
    log_start_offset: int = -1
    record_errors: list[BatchIndexAndErrorMessage] = []
    error_message: str | None = None
    current_leader: LeaderIdAndEpoch = field(default_factory=LeaderIdAndEpoch)

    FIELDS = (
        Field("index", "int32"),
        Field("error_code", "int16"),
        Field("base_offset", "int64"),
        Field("log_append_time_ms", "int64", (2, LAST), default=-1, ignorable=True),
        Field("log_start_offset", "int64", (5, LAST), default=-1, ignorable=True),
        Field("record_errors", BatchIndexAndErrorMessage, (8, LAST), array=True, ignorable=True),
        Field("error_message", "string", (8, LAST), nullable=(8, LAST), default=None, ignorable=True),
        Field("current_leader", LeaderIdAndEpoch, (10, LAST), tag=0),
    )


class TopicProduceResponse(WireStruct):
    name: str = ""
    topic_id: bytes = ZERO_UUID
    partition_responses: list[PartitionProduceResponse] = []

    FIELDS = (
        Field("name", "string", (0, 12), ignorable=True),
        Field("topic_id", "uuid", (13, LAST), ignorable=True),
        Field("partition_responses", PartitionProduceResponse, array=True),
    )


class NodeEndpoint(WireStruct):
    node_id: int = 0
    host: str = ""
    port: int = 0
    rack: str | None = None

    FIELDS = (
        Field("node_id", "int32", (10, LAST)),
        Field("host", "string", (10, LAST)),
        Field("port", "int32", (10, LAST)),
        Field("rack", "string", (10, LAST), nullable=(10, LAST), default=None),
    )


class ProduceResponse(Message):
    responses: list[TopicProduceResponse] = []
    throttle_time_ms: int = 0
    node_endpoints: list[NodeEndpoint] = []

    FIELDS = (
        Field("responses", TopicProduceResponse, array=True),
        Field("throttle_time_ms", "int32", (1, LAST), ignorable=True),
        Field("node_endpoints", NodeEndpoint, (10, LAST), array=True, tag=0),
    )
    NAME = "ProduceResponse"
    API_KEY = 0
    VERSIONS = (3, 13)
    FLEXIBLE = 9
