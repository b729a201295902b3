"""StreamsGroupDescribeResponse (response, key 89), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from msgspec import field

from riacho.wire.schema import LAST, Field, Message, WireStruct


class KeyValue(WireStruct):
    key: str = ""
    value: str = ""

    FIELDS = (
        Field("key", "string"),
        Field("value", "string"),
    )


class TopicInfo(WireStruct):
    name: str = ""
    partitions: int = 0
    replication_factor: int = 0
    topic_configs: list[KeyValue] = []

    FIELDS = (
        Field("name", "string"),
        Field("partitions", "int32"),
        Field("replication_factor", "int16"),
        Field("topic_configs", KeyValue, array=True),
    )


class Subtopology(WireStruct):
    subtopology_id: str = ""
    source_topics: list[str] = []
    repartition_sink_topics: list[str] = []
    state_changelog_topics: list[TopicInfo] = []
    repartition_source_topics: list[TopicInfo] = []

    FIELDS = (
        Field("subtopology_id", "string"),
        Field("source_topics", "string", array=True),
        Field("repartition_sink_topics", "string", array=True),
        Field("state_changelog_topics", TopicInfo, array=True),
        Field("repartition_source_topics", TopicInfo, array=True),
    )


class Topology(WireStruct):
    epoch: int = 0
    subtopologies: list[Subtopology] | None = None

    FIELDS = (
        Field("epoch", "int32"),
        Field("subtopologies", Subtopology, array=True, nullable=(0, LAST), default=None),
    )


class Endpoint(WireStruct):
    host: str = ""
    port: int = 0

    FIELDS = (
        Field("host", "string"),
        Field("port", "uint16"),
    )


class TaskOffset(WireStruct):
    subtopology_id: str = ""
    partition: int = 0
    offset: int = 0

    FIELDS = (
        Field("subtopology_id", "string"),
        Field("partition", "int32"),
        Field("offset", "int64"),
    )


class TaskIds(WireStruct):
    subtopology_id: str = ""
    partitions: list[int] = []

    FIELDS = (
        Field("subtopology_id", "string"),
        Field("partitions", "int32", array=True),
    )


class Assignment(WireStruct):
    active_tasks: list[TaskIds] = []
    standby_tasks: list[TaskIds] = []
    warmup_tasks: list[TaskIds] = []

    FIELDS = (
        Field("active_tasks", TaskIds, array=True),
        Field("standby_tasks", TaskIds, array=True),
        Field("warmup_tasks", TaskIds, array=True),
    )


class Member(WireStruct):
    member_id: str = ""
    member_epoch: int = 0
    instance_id: str | None = None
    rack_id: str | None = None
    client_id: str = ""
    client_host: str = ""
    topology_epoch: int = 0
    process_id: str = ""
    user_endpoint: Endpoint | None = None
    client_tags: list[KeyValue] = []
    task_offsets: list[TaskOffset] = []
    task_end_offsets: list[TaskOffset] = []
    assignment: Assignment = field(default_factory=Assignment)
    target_assignment: Assignment = field(default_factory=Assignment)
    is_classic: bool = False

    FIELDS = (
        Field("member_id", "string"),
        Field("member_epoch", "int32"),
        Field("instance_id", "string", nullable=(0, LAST), default=None),
        Field("rack_id", "string", nullable=(0, LAST), default=None),
        Field("client_id", "string"),
        Field("client_host", "string"),
        Field("topology_epoch", "int32"),
        Field("process_id", "string"),
        Field("user_endpoint", Endpoint, nullable=(0, LAST), default=None),
        Field("client_tags", KeyValue, array=True),
        Field("task_offsets", TaskOffset, array=True),
        Field("task_end_offsets", TaskOffset, array=True),
        Field("assignment", Assignment),
        Field("target_assignment", Assignment),
        Field("is_classic", "bool"),
    )


class DescribedGroup(WireStruct):
    error_code: int = 0
    error_message: str | None = None
    group_id: str = ""
    group_state: str = ""
    group_epoch: int = 0
    assignment_epoch: int = 0
    topology: Topology | None = None
    members: list[Member] = []
    authorized_operations: int = -2147483648

    FIELDS = (
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST), default=None),
        Field("group_id", "string"),
        Field("group_state", "string"),
        Field("group_epoch", "int32"),
        Field("assignment_epoch", "int32"),
        Field("topology", Topology, nullable=(0, LAST), default=None),
        Field("members", Member, array=True),
        Field("authorized_operations", "int32", default=-2147483648),
    )


class StreamsGroupDescribeResponse(Message):
    throttle_time_ms: int = 0
    groups: list[DescribedGroup] = []

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("groups", DescribedGroup, array=True),
    )
    NAME = "StreamsGroupDescribeResponse"
    API_KEY = 89
    VERSIONS = (0, 0)
    FLEXIBLE = 0
