"""FetchRequest (request, key 1), v4-18.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from msgspec import field

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


class ReplicaState(WireStruct):
    replica_id: int = -1
    replica_epoch: int = -1

    FIELDS = (
        Field("replica_id", "int32", (15, LAST), default=-1),
        Field("replica_epoch", "int64", (15, LAST), default=-1),
    )


class FetchPartition(WireStruct):
    partition: int = 0
    current_leader_epoch: int = -1
    fetch_offset: int = 0
    last_fetched_epoch: int = -1
    log_start_offset: int = -1
    partition_max_bytes: int = 0
    replica_directory_id: bytes = ZERO_UUID
    high_watermark: int = 9223372036854775807

    FIELDS = (
        Field("partition", "int32"),
        Field("current_leader_epoch", "int32", (9, LAST), default=-1, ignorable=True),
        Field("fetch_offset", "int64"),
        Field("last_fetched_epoch", "int32", (12, LAST), default=-1),
        Field("log_start_offset", "int64", (5, LAST), default=-1, ignorable=True),
        Field("partition_max_bytes", "int32"),
        Field("replica_directory_id", "uuid", (17, LAST), tag=0, ignorable=True),
        Field("high_watermark", "int64", (18, LAST), tag=1, default=9223372036854775807, ignorable=True),
    )


class FetchTopic(WireStruct):
    topic: str = ""
    topic_id: bytes = ZERO_UUID
    partitions: list[FetchPartition] = []

    FIELDS = (
        Field("topic", "string", (0, 12), ignorable=True),
        Field("topic_id", "uuid", (13, LAST), ignorable=True),
        Field("partitions", FetchPartition, array=True),
    )


class ForgottenTopic(WireStruct):
    topic: str = ""
    topic_id: bytes = ZERO_UUID
    partitions: list[int] = []

    FIELDS = (
        Field("topic", "string", (7, 12), ignorable=True),
        Field("topic_id", "uuid", (13, LAST), ignorable=True),
        Field("partitions", "int32", (7, LAST), array=True),
    )


class FetchRequest(Message):
    cluster_id: str | None = None
    replica_id: int = -1
    replica_state: ReplicaState = field(default_factory=ReplicaState)
    max_wait_ms: int = 0
    min_bytes: int = 0
    max_bytes: int = 2147483647
    isolation_level: int = 0
    session_id: int = 0
    session_epoch: int = -1
    topics: list[FetchTopic] = []
    forgotten_topics_data: list[ForgottenTopic] = []
    rack_id: str = ""

    FIELDS = (
        Field("cluster_id", "string", (12, LAST), nullable=(12, LAST), tag=0, default=None, ignorable=True),
        Field("replica_id", "int32", (0, 14), default=-1),
        Field("replica_state", ReplicaState, (15, LAST), tag=1),
        Field("max_wait_ms", "int32"),
        Field("min_bytes", "int32"),
        Field("max_bytes", "int32", (3, LAST), default=2147483647, ignorable=True),
        Field("isolation_level", "int8", (4, LAST), ignorable=True),
        Field("session_id", "int32", (7, LAST), ignorable=True),
        Field("session_epoch", "int32", (7, LAST), default=-1, ignorable=True),
        Field("topics", FetchTopic, array=True),
        Field("forgotten_topics_data", ForgottenTopic, (7, LAST), array=True),
        Field("rack_id", "string", (11, LAST), ignorable=True),
    )
    NAME = "FetchRequest"
    API_KEY = 1
    VERSIONS = (4, 18)
    FLEXIBLE = 12
