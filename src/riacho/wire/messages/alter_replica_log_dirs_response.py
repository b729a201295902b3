"""AlterReplicaLogDirsResponse (response, key 34), v1-2.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message, WireStruct


class AlterReplicaLogDirPartitionResult(WireStruct):
    partition_index: int = 0
    error_code: int = 0

    FIELDS = (
        Field("partition_index", "int32"),
        Field("error_code", "int16"),
    )


class AlterReplicaLogDirTopicResult(WireStruct):
    topic_name: str = ""
    partitions: list[AlterReplicaLogDirPartitionResult] = []

    FIELDS = (
        Field("topic_name", "string"),
        Field("partitions", AlterReplicaLogDirPartitionResult, array=True),
    )


class AlterReplicaLogDirsResponse(Message):
    throttle_time_ms: int = 0
    results: list[AlterReplicaLogDirTopicResult] = []

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("results", AlterReplicaLogDirTopicResult, array=True),
    )
    NAME = "AlterReplicaLogDirsResponse"
    API_KEY = 34
    VERSIONS = (1, 2)
    FLEXIBLE = 2
