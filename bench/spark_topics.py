"""The topics that Spark reads: keyed records over an hour of their own time, made from a few thousand values."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from confluent_kafka import Producer

from bench.batches import framed, payloads, record
from bench.plan import BATCH_SIZE_BYTES
from bench.requests import Admin, produce, produce_error_position
from bench.spark_plan import PARTITIONS

KEYS = 1_000
SPAN_MS = 3_600_000
_BODIES = 48  # distinct batches: enough that no cache holds their answer
_SIZES = {"100 B": (100, 100), "1 KB": (1024, 1024), "50-150 B": (50, 150)}
_TRICKLE_S = 0.01


def source_topic(size: str) -> str:
    return "read-" + size.replace(" ", "").lower()


def fill(admin: Admin, size: str, rows: int) -> int:
    """Make the topic of that size; how many rows it has, which may be a few more than wished for."""
    topic = source_topic(size)
    admin.create_topic(topic, PARTITIONS)
    error = produce_error_position(topic)
    bodies = _bodies(size)
    records = len(bodies[0])
    batches = -(-rows // records)
    # The hour before this one, from its beginning: how many windows there are must not depend on the time of day, and
    # records of long ago would be deleted by the broker's retention.
    began_ms = (time.time_ns() // 1_000_000 // SPAN_MS - 1) * SPAN_MS
    for number in range(batches):
        first_ms = began_ms + SPAN_MS * number // batches
        batch = framed(b"".join(bodies[number % _BODIES]), records, (first_ms, first_ms + records - 1))
        answer = admin.ask(produce(topic, number % PARTITIONS, batch, 1))
        if answer[error - 4 : error - 2] != b"\0\0":
            raise RuntimeError(f"the broker refused a batch for {topic}")
    return batches * records


def _bodies(size: str) -> list[list[bytes]]:
    shortest, longest = _SIZES[size]
    records = max(BATCH_SIZE_BYTES // ((shortest + longest) // 2 + 20), 1)  # about 20 bytes of key and framing
    rng = random.Random(longest)
    values = payloads(_BODIES * records, longest)
    return [
        [
            record(delta, values[body * records + delta][: rng.randint(shortest, longest)], _key(rng), delta)
            for delta in range(records)
        ]
        for body in range(_BODIES)
    ]


def _key(rng: random.Random) -> bytes:
    return b"account-%04d" % rng.randrange(KEYS)


@contextmanager
def trickle(bootstrap: str, topic: str) -> Iterator[None]:
    """A hundred records a second to partition 0, until the end of the block."""
    producer = Producer({"bootstrap.servers": bootstrap, "linger.ms": 0})
    is_over = threading.Event()

    def send() -> None:
        value = payloads(1, 100)[0]
        while not is_over.wait(_TRICKLE_S):
            producer.produce(topic, value, key=b"account-%04d" % (time.time_ns() % KEYS), partition=0)
            producer.poll(0)

    thread = threading.Thread(target=send, daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
        producer.flush(30)
