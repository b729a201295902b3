"""DescribeTopicPartitionsRequest (request, key 75), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class TopicRequest(WireStruct):
    name: str = ""

    FIELDS = (Field("name", "string"),)


class Cursor(WireStruct):
    topic_name: str = ""
    partition_index: int = 0

    FIELDS = (
        Field("topic_name", "string"),
        Field("partition_index", "int32"),
    )


class DescribeTopicPartitionsRequest(Message):
    topics: list[TopicRequest] = []
    response_partition_limit: int = 2000
    cursor: Cursor | None = None

    FIELDS = (
        Field("topics", TopicRequest, array=True),
        Field("response_partition_limit", "int32", default=2000),
        Field("cursor", Cursor, nullable=(0, LAST), default=None),
    )
    NAME = "DescribeTopicPartitionsRequest"
    API_KEY = 75
    VERSIONS = (0, 0)
    FLEXIBLE = 0
