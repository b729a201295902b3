"""Records that a person writes, brought to a topic: few at a time, each with what became of it.

Over the wire client of the console's calls: a producer of librdkafka's would take threads and megabytes, for what is
done now and then. What a broker refuses for now is tried again; what may have been written is not, lest it stand twice.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from typing import NamedTuple

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import Cluster, check, error_of
from riacho.console.messages.murmur2 import partition_of
from riacho.wire.messages.metadata_response import MetadataResponseTopic
from riacho.wire.messages.produce_request import PartitionProduceData, ProduceRequest, TopicProduceData
from riacho.wire.messages.produce_response import PartitionProduceResponse, ProduceResponse
from riacho.wire.records import Headers, Record, build_batch

RECORDS_MAX = 1_000
_BATCH_BYTES_MAX = 900_000
_TIMEOUT_MS = 10_000
# After these nobody knows.
_UNCERTAIN = frozenset(
    {ErrorCode.NETWORK_EXCEPTION, ErrorCode.REQUEST_TIMED_OUT, ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND}
)


class WrittenRecord(NamedTuple):
    """`partition` None: chosen by the key. `timestamp_ms` None: now."""

    partition: int | None
    key: bytes | None
    value: bytes | None
    headers: Headers
    timestamp_ms: int | None

    @property
    def size_bytes(self) -> int:
        return len(self.key or b"") + len(self.value or b"") + sum(len(n) + len(v or b"") for n, v in self.headers)


class Outcome(NamedTuple):
    partition: int
    offset: int | None
    timestamp_ms: int
    error: KafkaError | None = None


def produce(cluster: Cluster, topic: str, records: Sequence[WrittenRecord]) -> list[Outcome]:
    """In the order of the records. KafkaError where there is no such topic or partition; nothing is written then."""
    found = cluster.retry(lambda: cluster.topics([topic]))[topic]
    partitions = _partitions(topic, found, records)
    now_ms = time.time_ns() // 1_000_000
    outcomes: list[Outcome | None] = [None] * len(records)
    batches: dict[int, list[int]] = {}
    for index, partition in enumerate(partitions):
        batches.setdefault(partition, []).append(index)
    for partition, indexes in batches.items():
        for some in _cut(indexes, records):
            batch = _batch([records[index] for index in some], now_ms)
            offset, error = _written(cluster, topic, partition, bytes(batch))
            for place, index in enumerate(some):
                at_ms = records[index].timestamp_ms
                outcomes[index] = Outcome(
                    partition, None if offset is None else offset + place, now_ms if at_ms is None else at_ms, error
                )
    return [outcome for outcome in outcomes if outcome is not None]


def _partitions(topic: str, found: MetadataResponseTopic, records: Sequence[WrittenRecord]) -> list[int]:
    known = sorted(each.partition_index for each in found.partitions)
    for record in records:
        if record.partition is not None and record.partition not in known:
            raise KafkaError(
                ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"Topic '{topic}' has no partition {record.partition}."
            )
    # Those without a key go together, as producers send them.
    some = random.choice(known)
    return [
        record.partition
        if record.partition is not None
        else (some if record.key is None else partition_of(record.key, len(known)))
        for record in records
    ]


def _cut(indexes: list[int], records: Sequence[WrittenRecord]) -> list[list[int]]:
    """Into batches that brokers take, in order."""
    parts: list[list[int]] = [[]]
    size = 0
    for index in indexes:
        own = records[index].size_bytes + 64
        if parts[-1] and size + own > _BATCH_BYTES_MAX:
            parts.append([])
            size = 0
        parts[-1].append(index)
        size += own
    return parts


def _batch(records: Sequence[WrittenRecord], now_ms: int) -> bytearray:
    times = [now_ms if record.timestamp_ms is None else record.timestamp_ms for record in records]
    return build_batch(
        [
            Record(index, at_ms - times[0], record.key, record.value, record.headers)
            for index, (record, at_ms) in enumerate(zip(records, times, strict=True))
        ],
        base_timestamp=times[0],
    )


def _written(cluster: Cluster, topic: str, partition: int, batch: bytes) -> tuple[int | None, KafkaError | None]:
    """The offset of the first, or why there is none."""
    try:
        return cluster.retry(lambda: _ask_leader(cluster, topic, partition, batch)), None
    except KafkaError as error:
        return None, error


def _ask_leader(cluster: Cluster, topic: str, partition: int, batch: bytes) -> int:
    found = cluster.topics([topic])[topic]
    leader = next((each.leader_id for each in found.partitions if each.partition_index == partition), -1)
    if leader < 0:
        raise KafkaError(ErrorCode.LEADER_NOT_AVAILABLE, f"Partition {partition} has no leader.")
    connection = cluster.broker(leader)
    request = ProduceRequest(
        acks=-1,
        timeout_ms=_TIMEOUT_MS,
        topic_data=[
            TopicProduceData(
                name=topic,
                topic_id=found.topic_id,
                partition_data=[PartitionProduceData(index=partition, records=batch)],
            )
        ],
    )
    try:
        response = cluster.ask(request, ProduceResponse, connection)
    except KafkaError as error:
        raise _uncertain(error) if error.code in _UNCERTAIN else error from None
    answer: PartitionProduceResponse = response.responses[0].partition_responses[0]
    code = error_of(answer.error_code)
    if code in _UNCERTAIN:
        raise _uncertain(KafkaError(code, f"The broker answered {code.name}"))
    check(answer.error_code, answer.error_message)
    return answer.base_offset


def _uncertain(error: KafkaError) -> KafkaError:
    """A code that is not tried again."""
    reason = error.detail.rstrip(".")
    return KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR, f"It may have been written or not: {reason}.")
