"""DeleteShareGroupOffsetsRequest (request, key 92), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message, WireStruct


class DeleteShareGroupOffsetsRequestTopic(WireStruct):
    topic_name: str = ""

    FIELDS = (Field("topic_name", "string"),)


class DeleteShareGroupOffsetsRequest(Message):
    group_id: str = ""
    topics: list[DeleteShareGroupOffsetsRequestTopic] = []

    FIELDS = (
        Field("group_id", "string"),
        Field("topics", DeleteShareGroupOffsetsRequestTopic, array=True),
    )
    NAME = "DeleteShareGroupOffsetsRequest"
    API_KEY = 92
    VERSIONS = (0, 0)
    FLEXIBLE = 0
