"""Bodies and answers of the calls on consumer instances."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import msgspec

from riacho.rest_proxy.consumers.buffer import Partition

Number = Annotated[int, msgspec.Meta(ge=0, lt=1 << 31)]
Offset = Annotated[int, msgspec.Meta(ge=0, lt=(1 << 63) - 1)]
# What is no topic's name must not reach librdkafka: with `^` before it is a pattern, and at a NUL it ends.
TopicName = Annotated[str, msgspec.Meta(min_length=1, max_length=249, pattern=r"\A[a-zA-Z0-9._-]*\Z")]
# Longer ones do not fit the protocol: the broker would hang up.
Metadata = Annotated[str, msgspec.Meta(max_length=8_191, pattern=r"\A[^\x00]*\Z")]
Milliseconds = Annotated[int, msgspec.Meta(ge=0, lt=(1 << 63) - 1)]


class Subscription(msgspec.Struct):
    topics: list[TopicName] | None = None
    topic_pattern: str | None = None


class SubscriptionAnswer(msgspec.Struct):
    topics: list[str]


class PartitionName(msgspec.Struct):
    topic: TopicName
    partition: Number

    @property
    def key(self) -> Partition:
        return self.topic, self.partition


class Partitions(msgspec.Struct):
    partitions: list[PartitionName]


class OffsetEntry(PartitionName):
    offset: Offset
    metadata: Metadata | None = None


class TimestampEntry(PartitionName):
    """`timestamp` is ISO 8601, or milliseconds."""

    timestamp: datetime | Milliseconds
    metadata: Metadata | None = None

    @property
    def timestamp_ms(self) -> int:
        if isinstance(self.timestamp, int):
            return self.timestamp
        moment = self.timestamp if self.timestamp.tzinfo else self.timestamp.replace(tzinfo=UTC)
        return max(0, int(moment.timestamp() * 1000))


class Positions(msgspec.Struct):
    offsets: list[OffsetEntry] = []
    timestamps: list[TimestampEntry] = []


class Commit(msgspec.Struct):
    """`offsets` of the last records that were processed; what is stored is one more, where to read on."""

    offsets: list[OffsetEntry] | None = None


class CommittedEntry(msgspec.Struct):
    topic: str
    partition: int
    offset: int
    metadata: str


class Committed(msgspec.Struct):
    offsets: list[CommittedEntry]


class ConsumedRecord(msgspec.Struct, omit_defaults=True):
    """`headers` and `timestamp` stand there when `include` names them."""

    topic: str
    key: msgspec.Raw
    value: msgspec.Raw
    partition: int
    offset: int
    timestamp: int | msgspec.UnsetType | None = msgspec.UNSET
    headers: list[dict[str, str | None]] | msgspec.UnsetType = msgspec.UNSET
