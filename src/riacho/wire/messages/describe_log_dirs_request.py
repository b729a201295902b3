"""DescribeLogDirsRequest (request, key 35), v1-5.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class DescribableLogDirTopic(WireStruct):
    topic: str = ""
    partitions: list[int] = []

    FIELDS = (
        Field("topic", "string"),
        Field("partitions", "int32", array=True),
    )


class DescribeLogDirsRequest(Message):
    topics: list[DescribableLogDirTopic] | None = []

    FIELDS = (Field("topics", DescribableLogDirTopic, array=True, nullable=(0, LAST)),)
    NAME = "DescribeLogDirsRequest"
    API_KEY = 35
    VERSIONS = (1, 5)
    FLEXIBLE = 2
