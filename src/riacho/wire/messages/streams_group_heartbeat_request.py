"""StreamsGroupHeartbeatRequest (request, key 88), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

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


class CopartitionGroup(WireStruct):
    source_topics: list[int] = []
    source_topic_regex: list[int] = []
    repartition_source_topics: list[int] = []

    FIELDS = (
        Field("source_topics", "int16", array=True),
        Field("source_topic_regex", "int16", array=True),
        Field("repartition_source_topics", "int16", array=True),
    )


class Subtopology(WireStruct):
    subtopology_id: str = ""
    source_topics: list[str] = []
    source_topic_regex: list[str] = []
    state_changelog_topics: list[TopicInfo] = []
    repartition_sink_topics: list[str] = []
    repartition_source_topics: list[TopicInfo] = []
    copartition_groups: list[CopartitionGroup] = []

    FIELDS = (
        Field("subtopology_id", "string"),
        Field("source_topics", "string", array=True),
        Field("source_topic_regex", "string", array=True),
        Field("state_changelog_topics", TopicInfo, array=True),
        Field("repartition_sink_topics", "string", array=True),
        Field("repartition_source_topics", TopicInfo, array=True),
        Field("copartition_groups", CopartitionGroup, array=True),
    )


class Topology(WireStruct):
    epoch: int = 0
    subtopologies: list[Subtopology] = []

    FIELDS = (
        Field("epoch", "int32"),
        Field("subtopologies", Subtopology, array=True),
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


class TaskOffset(WireStruct):
    subtopology_id: str = ""
    partition: int = 0
    offset: int = 0

    FIELDS = (
        Field("subtopology_id", "string"),
        Field("partition", "int32"),
        Field("offset", "int64"),
    )


class StreamsGroupHeartbeatRequest(Message):
    group_id: str = ""
    member_id: str = ""
    member_epoch: int = 0
    endpoint_information_epoch: int = 0
    instance_id: str | None = None
    rack_id: str | None = None
    rebalance_timeout_ms: int = -1
    topology: Topology | None = None
    active_tasks: list[TaskIds] | None = None
    standby_tasks: list[TaskIds] | None = None
    warmup_tasks: list[TaskIds] | None = None
    process_id: str | None = None
    user_endpoint: Endpoint | None = None
    client_tags: list[KeyValue] | None = None
    task_offsets: list[TaskOffset] | None = None
    task_end_offsets: list[TaskOffset] | None = None
    shutdown_application: bool = False

    FIELDS = (
        Field("group_id", "string"),
        Field("member_id", "string"),
        Field("member_epoch", "int32"),
        Field("endpoint_information_epoch", "int32"),
        Field("instance_id", "string", nullable=(0, LAST), default=None),
        Field("rack_id", "string", nullable=(0, LAST), default=None),
        Field("rebalance_timeout_ms", "int32", default=-1),
        Field("topology", Topology, nullable=(0, LAST), default=None),
        Field("active_tasks", TaskIds, array=True, nullable=(0, LAST), default=None),
        Field("standby_tasks", TaskIds, array=True, nullable=(0, LAST), default=None),
        Field("warmup_tasks", TaskIds, array=True, nullable=(0, LAST), default=None),
        Field("process_id", "string", nullable=(0, LAST), default=None),
        Field("user_endpoint", Endpoint, nullable=(0, LAST), default=None),
        Field("client_tags", KeyValue, array=True, nullable=(0, LAST), default=None),
        Field("task_offsets", TaskOffset, array=True, nullable=(0, LAST), default=None),
        Field("task_end_offsets", TaskOffset, array=True, nullable=(0, LAST), default=None),
        Field("shutdown_application", "bool"),
    )
    NAME = "StreamsGroupHeartbeatRequest"
    API_KEY = 88
    VERSIONS = (0, 0)
    FLEXIBLE = 0
