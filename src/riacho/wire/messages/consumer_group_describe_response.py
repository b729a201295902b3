"""ConsumerGroupDescribeResponse (response, key 69), v0-1.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from msgspec import field

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


class TopicPartitions(WireStruct):
    topic_id: bytes = ZERO_UUID
    topic_name: str = ""
    partitions: list[int] = []

    FIELDS = (
        Field("topic_id", "uuid"),
        Field("topic_name", "string"),
        Field("partitions", "int32", array=True),
    )


class Assignment(WireStruct):
    topic_partitions: list[TopicPartitions] = []

    FIELDS = (Field("topic_partitions", TopicPartitions, array=True),)


class Member(WireStruct):
    member_id: str = ""
    instance_id: str | None = None
    rack_id: str | None = None
    member_epoch: int = 0
    client_id: str = ""
    client_host: str = ""
    subscribed_topic_names: list[str] = []
    subscribed_topic_regex: str | None = None
    assignment: Assignment = field(default_factory=Assignment)
    target_assignment: Assignment = field(default_factory=Assignment)
    member_type: int = -1

    FIELDS = (
        Field("member_id", "string"),
        Field("instance_id", "string", nullable=(0, LAST), default=None),
        Field("rack_id", "string", nullable=(0, LAST), default=None),
        Field("member_epoch", "int32"),
        Field("client_id", "string"),
        Field("client_host", "string"),
        Field("subscribed_topic_names", "string", array=True),
        Field("subscribed_topic_regex", "string", nullable=(0, LAST), default=None),
        Field("assignment", Assignment),
        Field("target_assignment", Assignment),
        Field("member_type", "int8", (1, LAST), default=-1, ignorable=True),
    )


class DescribedGroup(WireStruct):
    error_code: int = 0
    error_message: str | None = None
    group_id: str = ""
    group_state: str = ""
    group_epoch: int = 0
    assignment_epoch: int = 0
    assignor_name: str = ""
    members: list[Member] = []
    authorized_operations: int = -2147483648

    FIELDS = (
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST), default=None),
        Field("group_id", "string"),
        Field("group_state", "string"),
        Field("group_epoch", "int32"),
        Field("assignment_epoch", "int32"),
        Field("assignor_name", "string"),
        Field("members", Member, array=True),
        Field("authorized_operations", "int32", default=-2147483648),
    )


class ConsumerGroupDescribeResponse(Message):
    throttle_time_ms: int = 0
    groups: list[DescribedGroup] = []

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("groups", DescribedGroup, array=True),
    )
    NAME = "ConsumerGroupDescribeResponse"
    API_KEY = 69
    VERSIONS = (0, 1)
    FLEXIBLE = 0
