"""SubscriptionInfoData (data), v1-11.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


class TaskId(WireStruct):
    topic_group_id: int = 0
    partition: int = 0

    FIELDS = (
        Field("topic_group_id", "int32", (1, 6)),
        Field("partition", "int32", (1, 6)),
    )


class PartitionToOffsetSum(WireStruct):
    partition: int = 0
    offset_sum: int = 0

    FIELDS = (
        Field("partition", "int32", (7, 9)),
        Field("offset_sum", "int64", (7, 9)),
    )


class TaskOffsetSum(WireStruct):
    topic_group_id: int = 0
    partition: int = 0
    offset_sum: int = 0
    named_topology: str | None = ""
    partition_to_offset_sum: list[PartitionToOffsetSum] = []

    FIELDS = (
        Field("topic_group_id", "int32", (7, LAST)),
        Field("partition", "int32", (10, LAST)),
        Field("offset_sum", "int64", (10, LAST)),
        Field("named_topology", "string", (10, LAST), nullable=(10, LAST), ignorable=True),
        Field("partition_to_offset_sum", PartitionToOffsetSum, (7, 9), array=True),
    )


class ClientTag(WireStruct):
    key: bytes = b""
    value: bytes = b""

    FIELDS = (
        Field("key", "bytes", (11, LAST)),
        Field("value", "bytes", (11, LAST)),
    )


class SubscriptionInfoData(Message):
    version: int = 0
    latest_supported_version: int = -1
    process_id: bytes = ZERO_UUID
    prev_tasks: list[TaskId] = []
    standby_tasks: list[TaskId] = []
    user_end_point: bytes = b""
    task_offset_sums: list[TaskOffsetSum] = []
    unique_field: int = 0
    error_code: int = 0
    client_tags: list[ClientTag] = []

    FIELDS = (
        Field("version", "int32", (1, LAST)),
        Field("latest_supported_version", "int32", (3, LAST), default=-1),
        Field("process_id", "uuid", (1, LAST)),
        Field("prev_tasks", TaskId, (1, 6), array=True),
        Field("standby_tasks", TaskId, (1, 6), array=True),
        Field("user_end_point", "bytes", (2, LAST)),
        Field("task_offset_sums", TaskOffsetSum, (7, LAST), array=True),
        Field("unique_field", "int8", (8, LAST)),
        Field("error_code", "int32", (9, LAST)),
        Field("client_tags", ClientTag, (11, LAST), array=True),
    )
    NAME = "SubscriptionInfoData"
    VERSIONS = (1, 11)
