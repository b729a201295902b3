"""DeleteTopicsRequest (request, key 20), v1-6.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


class DeleteTopicState(WireStruct):
    name: str | None = None
    topic_id: bytes = ZERO_UUID

    FIELDS = (
        Field("name", "string", (6, LAST), nullable=(6, LAST), default=None),
        Field("topic_id", "uuid", (6, LAST)),
    )


class DeleteTopicsRequest(Message):
    topics: list[DeleteTopicState] = []
    topic_names: list[str] = []
    timeout_ms: int = 0

    FIELDS = (
        Field("topics", DeleteTopicState, (6, LAST), array=True),
        Field("topic_names", "string", (0, 5), array=True, ignorable=True),
        Field("timeout_ms", "int32"),
    )
    NAME = "DeleteTopicsRequest"
    API_KEY = 20
    VERSIONS = (1, 6)
    FLEXIBLE = 4
