"""DescribeProducersRequest (request, key 61), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message, WireStruct


class TopicRequest(WireStruct):
    name: str = ""
    partition_indexes: list[int] = []

    FIELDS = (
        Field("name", "string"),
        Field("partition_indexes", "int32", array=True),
    )


class DescribeProducersRequest(Message):
    topics: list[TopicRequest] = []

    FIELDS = (Field("topics", TopicRequest, array=True),)
    NAME = "DescribeProducersRequest"
    API_KEY = 61
    VERSIONS = (0, 0)
    FLEXIBLE = 0
