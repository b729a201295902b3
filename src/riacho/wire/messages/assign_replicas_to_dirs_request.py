"""AssignReplicasToDirsRequest (request, key 73), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import Field, Message, WireStruct


class PartitionData(WireStruct):
    partition_index: int = 0

    FIELDS = (Field("partition_index", "int32"),)


class TopicData(WireStruct):
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionData] = []

    FIELDS = (
        Field("topic_id", "uuid"),
        Field("partitions", PartitionData, array=True),
    )


class DirectoryData(WireStruct):
    id: bytes = ZERO_UUID
    topics: list[TopicData] = []

    FIELDS = (
        Field("id", "uuid"),
        Field("topics", TopicData, array=True),
    )


class AssignReplicasToDirsRequest(Message):
    broker_id: int = 0
    broker_epoch: int = -1
    directories: list[DirectoryData] = []

    FIELDS = (
        Field("broker_id", "int32"),
        Field("broker_epoch", "int64", default=-1),
        Field("directories", DirectoryData, array=True),
    )
    NAME = "AssignReplicasToDirsRequest"
    API_KEY = 73
    VERSIONS = (0, 0)
    FLEXIBLE = 0
