"""ConsumerGroupHeartbeatRequest (request, key 68), v0-1.

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


class ConsumerGroupHeartbeatRequest(Message):
    group_id: str = ""
    member_id: str = ""
    member_epoch: int = 0
    instance_id: str | None = None
    rack_id: str | None = None
    rebalance_timeout_ms: int = -1
    subscribed_topic_names: list[str] | None = None
    subscribed_topic_regex: str | None = None
    server_assignor: str | None = None
    topic_partitions: list[TopicPartitions] | None = None

    FIELDS = (
        Field("group_id", "string"),
        Field("member_id", "string"),
        Field("member_epoch", "int32"),
        Field("instance_id", "string", nullable=(0, LAST), default=None),
        Field("rack_id", "string", nullable=(0, LAST), default=None),
        Field("rebalance_timeout_ms", "int32", default=-1),
        Field("subscribed_topic_names", "string", array=True, nullable=(0, LAST), default=None),
        Field("subscribed_topic_regex", "string", (1, LAST), nullable=(1, LAST), default=None),
        Field("server_assignor", "string", nullable=(0, LAST), default=None),
        Field("topic_partitions", TopicPartitions, array=True, nullable=(0, LAST), default=None),
    )
    NAME = "ConsumerGroupHeartbeatRequest"
    API_KEY = 68
    VERSIONS = (0, 1)
    FLEXIBLE = 0
