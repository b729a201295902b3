"""ProduceRequest (request, key 0), v3-13.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Buffer, Field, Message, WireStruct


class PartitionProduceData(WireStruct):
    index: int = 0
    records: Buffer | None = None

    FIELDS = (
        Field("index", "int32"),
        Field("records", "records", nullable=(0, LAST)),
    )


class TopicProduceData(WireStruct):
    name: str = ""
    topic_id: bytes = ZERO_UUID
    partition_data: list[PartitionProduceData] = []

    FIELDS = (
        Field("name", "string", (0, 12), ignorable=True),
        Field("topic_id", "uuid", (13, LAST), ignorable=True),
        Field("partition_data", PartitionProduceData, array=True),
    )


class ProduceRequest(Message):
    transactional_id: str | None = None
    acks: int = 0
    timeout_ms: int = 0
    topic_data: list[TopicProduceData] = []

    FIELDS = (
        Field("transactional_id", "string", (3, LAST), nullable=(3, LAST), default=None),
        Field("acks", "int16"),
        Field("timeout_ms", "int32"),
        Field("topic_data", TopicProduceData, array=True),
    )
    NAME = "ProduceRequest"
    API_KEY = 0
    VERSIONS = (3, 13)
    FLEXIBLE = 9
