"""DescribeQuorumRequest (request, key 55), v0-2.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message, WireStruct


class PartitionData(WireStruct):
    partition_index: int = 0

    FIELDS = (Field("partition_index", "int32"),)


class TopicData(WireStruct):
    topic_name: str = ""
    partitions: list[PartitionData] = []

    FIELDS = (
        Field("topic_name", "string"),
        Field("partitions", PartitionData, array=True),
    )


class DescribeQuorumRequest(Message):
    topics: list[TopicData] = []

    FIELDS = (Field("topics", TopicData, array=True),)
    NAME = "DescribeQuorumRequest"
    API_KEY = 55
    VERSIONS = (0, 2)
    FLEXIBLE = 0
