"""CreateTopicsRequest (request, key 19), v2-7.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class CreatableReplicaAssignment(WireStruct):
    partition_index: int = 0
    broker_ids: list[int] = []

    FIELDS = (
        Field("partition_index", "int32"),
        Field("broker_ids", "int32", array=True),
    )


class CreatableTopicConfig(WireStruct):
    name: str = ""
    value: str | None = ""

    FIELDS = (
        Field("name", "string"),
        Field("value", "string", nullable=(0, LAST)),
    )


class CreatableTopic(WireStruct):
    name: str = ""
    num_partitions: int = 0
    replication_factor: int = 0
    assignments: list[CreatableReplicaAssignment] = []
    configs: list[CreatableTopicConfig] = []

    FIELDS = (
        Field("name", "string"),
        Field("num_partitions", "int32"),
        Field("replication_factor", "int16"),
        Field("assignments", CreatableReplicaAssignment, array=True),
        Field("configs", CreatableTopicConfig, array=True),
    )


class CreateTopicsRequest(Message):
    topics: list[CreatableTopic] = []
    timeout_ms: int = 60000
    validate_only: bool = False

    FIELDS = (
        Field("topics", CreatableTopic, array=True),
        Field("timeout_ms", "int32", default=60000),
        Field("validate_only", "bool", (1, LAST)),
    )
    NAME = "CreateTopicsRequest"
    API_KEY = 19
    VERSIONS = (2, 7)
    FLEXIBLE = 5
