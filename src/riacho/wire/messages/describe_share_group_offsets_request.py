"""DescribeShareGroupOffsetsRequest (request, key 90), v0-1.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class DescribeShareGroupOffsetsRequestTopic(WireStruct):
    topic_name: str = ""
    partitions: list[int] = []

    FIELDS = (
        Field("topic_name", "string"),
        Field("partitions", "int32", array=True),
    )


class DescribeShareGroupOffsetsRequestGroup(WireStruct):
    group_id: str = ""
    topics: list[DescribeShareGroupOffsetsRequestTopic] | None = []

    FIELDS = (
        Field("group_id", "string"),
        Field("topics", DescribeShareGroupOffsetsRequestTopic, array=True, nullable=(0, LAST)),
    )


class DescribeShareGroupOffsetsRequest(Message):
    groups: list[DescribeShareGroupOffsetsRequestGroup] = []

    FIELDS = (Field("groups", DescribeShareGroupOffsetsRequestGroup, array=True),)
    NAME = "DescribeShareGroupOffsetsRequest"
    API_KEY = 90
    VERSIONS = (0, 1)
    FLEXIBLE = 0
