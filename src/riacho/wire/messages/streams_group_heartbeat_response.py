"""StreamsGroupHeartbeatResponse (response, key 88), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from msgspec import field

from riacho.wire.schema import LAST, Field, Message, WireStruct


class Status(WireStruct):
    status_code: int = 0
    status_detail: str = ""

    FIELDS = (
        Field("status_code", "int8"),
        Field("status_detail", "string"),
    )


class TaskIds(WireStruct):
    subtopology_id: str = ""
    partitions: list[int] = []

    FIELDS = (
        Field("subtopology_id", "string"),
        Field("partitions", "int32", array=True),
    )


class Endpoint(WireStruct):
    host: str = ""
    port: int = 0

    FIELDS = (
        Field("host", "string"),
        Field("port", "uint16"),
    )


class TopicPartition(WireStruct):
    topic: str = ""
    partitions: list[int] = []

    FIELDS = (
        Field("topic", "string"),
        Field("partitions", "int32", array=True),
    )


class EndpointToPartitions(WireStruct):
    user_endpoint: Endpoint = field(default_factory=Endpoint)
    active_partitions: list[TopicPartition] = []
    standby_partitions: list[TopicPartition] = []

    FIELDS = (
        Field("user_endpoint", Endpoint),
        Field("active_partitions", TopicPartition, array=True),
        Field("standby_partitions", TopicPartition, array=True),
    )


class StreamsGroupHeartbeatResponse(Message):
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = None
    member_id: str = ""
    member_epoch: int = 0
    heartbeat_interval_ms: int = 0
    acceptable_recovery_lag: int = 0
    task_offset_interval_ms: int = 0
    status: list[Status] | None = []
    active_tasks: list[TaskIds] | None = None
    standby_tasks: list[TaskIds] | None = None
    warmup_tasks: list[TaskIds] | None = None
    endpoint_information_epoch: int = 0
    partitions_by_user_endpoint: list[EndpointToPartitions] | None = None

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST), default=None),
        Field("member_id", "string"),
        Field("member_epoch", "int32"),
        Field("heartbeat_interval_ms", "int32"),
        Field("acceptable_recovery_lag", "int32"),
        Field("task_offset_interval_ms", "int32"),
        Field("status", Status, array=True, nullable=(0, LAST)),
        Field("active_tasks", TaskIds, array=True, nullable=(0, LAST), default=None),
        Field("standby_tasks", TaskIds, array=True, nullable=(0, LAST), default=None),
        Field("warmup_tasks", TaskIds, array=True, nullable=(0, LAST), default=None),
        Field("endpoint_information_epoch", "int32"),
        Field("partitions_by_user_endpoint", EndpointToPartitions, array=True, nullable=(0, LAST), default=None),
    )
    NAME = "StreamsGroupHeartbeatResponse"
    API_KEY = 88
    VERSIONS = (0, 0)
    FLEXIBLE = 0
