"""OffsetFetchRequest (request, key 9), v1-10.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


class OffsetFetchRequestTopic(WireStruct):
    name: str = ""
    partition_indexes: list[int] = []

    FIELDS = (
        Field("name", "string", (0, 7)),
        Field("partition_indexes", "int32", (0, 7), array=True),
    )


class OffsetFetchRequestTopics(WireStruct):
    name: str = ""
    topic_id: bytes = ZERO_UUID
    partition_indexes: list[int] = []

    FIELDS = (
        Field("name", "string", (8, 9), ignorable=True),
        Field("topic_id", "uuid", (10, LAST), ignorable=True),
        Field("partition_indexes", "int32", (8, LAST), array=True),
    )


class OffsetFetchRequestGroup(WireStruct):
    group_id: str = ""
    member_id: str | None = None
    member_epoch: int = -1
    topics: list[OffsetFetchRequestTopics] | None = []

    FIELDS = (
        Field("group_id", "string", (8, LAST)),
        Field("member_id", "string", (9, LAST), nullable=(9, LAST), default=None, ignorable=True),
        Field("member_epoch", "int32", (9, LAST), default=-1, ignorable=True),
        Field("topics", OffsetFetchRequestTopics, (8, LAST), array=True, nullable=(8, LAST)),
    )


class OffsetFetchRequest(Message):
    group_id: str = ""
    topics: list[OffsetFetchRequestTopic] | None = []
    groups: list[OffsetFetchRequestGroup] = []
    require_stable: bool = False

    FIELDS = (
        Field("group_id", "string", (0, 7)),
        Field("topics", OffsetFetchRequestTopic, (0, 7), array=True, nullable=(2, 7)),
        Field("groups", OffsetFetchRequestGroup, (8, LAST), array=True),
        Field("require_stable", "bool", (7, LAST)),
    )
    NAME = "OffsetFetchRequest"
    API_KEY = 9
    VERSIONS = (1, 10)
    FLEXIBLE = 6
