"""The topics of the KSQL bench: records written as fast as they can be, and results waited for."""

from __future__ import annotations

import time

from confluent_kafka import Consumer, TopicPartition

from bench.batches import framed, record
from bench.ksql_plan import PARTITIONS
from bench.requests import Admin, produce, produce_error_position

KINDS = ("deposit", "transfer", "withdrawal", "fee")
_BATCH_RECORDS = 150  # of a record's 100 bytes: about 16 KiB
_WAIT_S = 300.0
_POLL_S = 0.1


def key_of(number: int) -> str:
    return f"account-{number:07d}"


def value_of(number: int) -> bytes:
    kind = KINDS[number % len(KINDS)]
    return b'{"ID":%d,"KIND":"%s","CENTS":%d,"NOTE":"%032x"}' % (
        number,
        kind.encode(),
        number % 100_000,
        number * 0x9E3779B97F4A7C15 % (1 << 128),
    )


def batches(rows: int) -> list[tuple[int, bytes]]:
    """Partition and batch of that many records, each with another key."""
    made = []
    now_ms = time.time_ns() // 1_000_000
    for place in range(PARTITIONS):
        numbers = range(place, rows, PARTITIONS)
        for first in range(0, len(numbers), _BATCH_RECORDS):
            chosen = numbers[first : first + _BATCH_RECORDS]
            body = b"".join(
                record(delta, value_of(number), key_of(number).encode()) for delta, number in enumerate(chosen)
            )
            made.append((place, framed(body, len(chosen), (now_ms, now_ms))))
    return made


def write(admin: Admin, topic: str, made: list[tuple[int, bytes]]) -> None:
    error = produce_error_position(topic)
    for place, batch in made:
        answer = admin.ask(produce(topic, place, batch, 1))
        if answer[error - 4 : error - 2] != b"\0\0":
            raise RuntimeError(f"the broker refused a batch for {topic}")


class Results:
    """A consumer of a result's topic that waits at its ends: what was there before it came does not count."""

    def __init__(self, bootstrap: str, topic: str, partitions: int = PARTITIONS) -> None:
        self._topic = topic
        self._seen = 0
        self._consumer = Consumer(
            {
                "bootstrap.servers": bootstrap,
                "group.id": f"bench-{topic}",
                "enable.auto.commit": False,
                "fetch.wait.max.ms": 10,
                "isolation.level": "read_committed",
            }
        )
        places = [TopicPartition(topic, place) for place in range(partitions)]
        ends = [self._consumer.get_watermark_offsets(place, timeout=30)[1] for place in places]
        self._consumer.assign(
            [TopicPartition(topic, place.partition, end) for place, end in zip(places, ends, strict=True)]
        )

    def wait_for(self, rows: int, timeout_s: float = _WAIT_S) -> None:
        """Until that many have come since it began; TimeoutError when they do not."""
        deadline = time.monotonic() + timeout_s
        while self._seen < rows:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{self._seen:,} of {rows:,} records came in {self._topic} within {timeout_s:.0f} s")
            self._seen += len(self.values())

    def values(self) -> list[bytes]:
        """Those that have come, after a short wait for the first."""
        first = self._consumer.poll(_POLL_S)
        if first is None:
            return []
        found = [first, *self._consumer.consume(10_000, timeout=0)]
        return [message.value() or b"" for message in found if message.error() is None]

    def close(self) -> None:
        self._consumer.close()
