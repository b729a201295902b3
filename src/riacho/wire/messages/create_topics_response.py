"""CreateTopicsResponse (response, key 19), v2-7.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


class CreatableTopicConfigs(WireStruct):
    name: str = ""
    value: str | None = ""
    read_only: bool = False
    config_source: int = -1
    is_sensitive: bool = False

    FIELDS = (
        Field("name", "string", (5, LAST)),
        Field("value", "string", (5, LAST), nullable=(5, LAST)),
        Field("read_only", "bool", (5, LAST)),
        Field("config_source", "int8", (5, LAST), default=-1, ignorable=True),
        Field("is_sensitive", "bool", (5, LAST)),
    )


class CreatableTopicResult(WireStruct):
    name: str = ""
    topic_id: bytes = ZERO_UUID
    error_code: int = 0
    error_message: str | None = ""
    topic_config_error_code: int = 0
    num_partitions: int = -1
    replication_factor: int = -1
    configs: list[CreatableTopicConfigs] | None = []

    FIELDS = (
        Field("name", "string"),
        Field("topic_id", "uuid", (7, LAST), ignorable=True),
        Field("error_code", "int16"),
        Field("error_message", "string", (1, LAST), nullable=(0, LAST), ignorable=True),
        Field("topic_config_error_code", "int16", (5, LAST), tag=0, ignorable=True),
        Field("num_partitions", "int32", (5, LAST), default=-1, ignorable=True),
        Field("replication_factor", "int16", (5, LAST), default=-1, ignorable=True),
        Field("configs", CreatableTopicConfigs, (5, LAST), array=True, nullable=(5, LAST), ignorable=True),
    )


class CreateTopicsResponse(Message):
    throttle_time_ms: int = 0
    topics: list[CreatableTopicResult] = []

    FIELDS = (
        Field("throttle_time_ms", "int32", (2, LAST), ignorable=True),
        Field("topics", CreatableTopicResult, array=True),
    )
    NAME = "CreateTopicsResponse"
    API_KEY = 19
    VERSIONS = (2, 7)
    FLEXIBLE = 5
