"""ElectLeadersRequest (request, key 43), v0-2.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class TopicPartitions(WireStruct):
    topic: str = ""
    partitions: list[int] = []

    FIELDS = (
        Field("topic", "string"),
        Field("partitions", "int32", array=True),
    )


class ElectLeadersRequest(Message):
    election_type: int = 0
    topic_partitions: list[TopicPartitions] | None = []
    timeout_ms: int = 60000

    FIELDS = (
        Field("election_type", "int8", (1, LAST)),
        Field("topic_partitions", TopicPartitions, array=True, nullable=(0, LAST)),
        Field("timeout_ms", "int32", default=60000),
    )
    NAME = "ElectLeadersRequest"
    API_KEY = 43
    VERSIONS = (0, 2)
    FLEXIBLE = 2
