"""StreamsGroupTopologyValue (coordinator value, number 23), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message, WireStruct


class TopicConfig(WireStruct):
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
    topic_configs: list[TopicConfig] = []

    FIELDS = (
        Field("name", "string"),
        Field("partitions", "int32"),
        Field("replication_factor", "int16"),
        Field("topic_configs", TopicConfig, array=True),
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


class StreamsGroupTopologyValue(Message):
    epoch: int = 0
    subtopologies: list[Subtopology] = []

    FIELDS = (
        Field("epoch", "int32"),
        Field("subtopologies", Subtopology, array=True),
    )
    NAME = "StreamsGroupTopologyValue"
    API_KEY = 23
    VERSIONS = (0, 0)
    FLEXIBLE = 0
