"""ConsumerGroupHeartbeatResponse (response, key 68), v0-1.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


class TopicPartitions(WireStruct):
    topic_id: bytes = ZERO_UUID
    partitions: list[int] = []

    FIELDS = (
        Field("topic_id", "uuid"),
        Field("partitions", "int32", array=True),
    )


class Assignment(WireStruct):
    topic_partitions: list[TopicPartitions] = []

    FIELDS = (Field("topic_partitions", TopicPartitions, array=True),)


class ConsumerGroupHeartbeatResponse(Message):
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = None
    member_id: str | None = None
    member_epoch: int = 0
    heartbeat_interval_ms: int = 0
    assignment: Assignment | None = None

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST), default=None),
        Field("member_id", "string", nullable=(0, LAST), default=None),
        Field("member_epoch", "int32"),
        Field("heartbeat_interval_ms", "int32"),
        Field("assignment", Assignment, nullable=(0, LAST), default=None),
    )
    NAME = "ConsumerGroupHeartbeatResponse"
    API_KEY = 68
    VERSIONS = (0, 1)
    FLEXIBLE = 0
