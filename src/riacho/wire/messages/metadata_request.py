"""MetadataRequest (request, key 3), v0-13.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


class MetadataRequestTopic(WireStruct):
    topic_id: bytes = ZERO_UUID
    name: str | None = ""

    FIELDS = (
        Field("topic_id", "uuid", (10, LAST), ignorable=True),
        Field("name", "string", nullable=(10, LAST)),
    )


class MetadataRequest(Message):
    topics: list[MetadataRequestTopic] | None = []
    allow_auto_topic_creation: bool = True
    include_cluster_authorized_operations: bool = False
    include_topic_authorized_operations: bool = False

    FIELDS = (
        Field("topics", MetadataRequestTopic, array=True, nullable=(1, LAST)),
        Field("allow_auto_topic_creation", "bool", (4, LAST), default=True),
        Field("include_cluster_authorized_operations", "bool", (8, 10)),
        Field("include_topic_authorized_operations", "bool", (8, LAST)),
    )
    NAME = "MetadataRequest"
    API_KEY = 3
    VERSIONS = (0, 13)
    FLEXIBLE = 9
