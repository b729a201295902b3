"""kill -9 under load: what was acknowledged is there once and in order, on the same port and directory every time.

A producer (librdkafka, idempotent, acks=all) writes numbered values for a handful of keys without a pause while the
broker is killed at seeded random moments. `RIACHO_KILLS` sets how many times, `RIACHO_KILL_SEED` the moments.
"""

from __future__ import annotations

import logging
import os
import random
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest
from confluent_kafka import Consumer, KafkaError, Message, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

from support.riacho_process import RiachoProcess

KILLS = int(os.environ.get("RIACHO_KILLS", "5"))
SEED = int(os.environ.get("RIACHO_KILL_SEED", "20240"))
TOPIC = "numbers"
PARTITIONS = 3
KEYS = 12
PROPERTIES = {
    "offsets.topic.num.partitions": "1",
    "offsets.topic.replication.factor": "1",
    "log.segment.bytes": "1048576",  # segments roll all the time, so kills meet rolls too
}
SILENT = logging.Logger("silent", level=logging.CRITICAL)  # refused connections are what this test is about
pytestmark = pytest.mark.timeout(60 + 12 * KILLS)


class Killable(Protocol):
    @property
    def bootstrap(self) -> str: ...
    def start(self) -> str: ...
    def kill(self) -> None: ...


class Load:
    """Numbered values per key, as fast as the producer takes them; remembers every acknowledgement."""

    def __init__(self, bootstrap: str) -> None:
        config: dict[str, Any] = {
            "bootstrap.servers": bootstrap,
            "enable.idempotence": True,
            "acks": "all",
            "linger.ms": 2,
            "batch.num.messages": 200,
            "message.timeout.ms": 300_000,
            "reconnect.backoff.ms": 20,
            "reconnect.backoff.max.ms": 200,
            "retry.backoff.ms": 20,
            "queue.buffering.max.messages": 2_000,
            "socket.timeout.ms": 10_000,
        }
        self._producer = Producer(config | {"error_cb": self._on_error}, logger=SILENT)
        self.sent: dict[bytes, int] = defaultdict(int)
        self.acked: dict[tuple[int, int], tuple[bytes, int]] = {}
        self.unplaced: list[tuple[bytes, int]] = []
        self.failed: list[str] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _on_error(self, error: KafkaError) -> None:
        if error.fatal():
            self.failed.append(str(error))

    def _on_delivery(self, error: KafkaError | None, message: Message) -> None:
        if error is not None:
            self.failed.append(str(error))
            return
        offset, record = message.offset(), (message.key() or b"", int(message.value() or b""))
        if offset is None:
            # A retry that turns out to be stored already is acknowledged without its place.
            self.unplaced.append(record)
        else:
            self.acked[message.partition() or 0, offset] = record

    def _run(self) -> None:
        while not self._stop.is_set() and not self.failed:
            for number in range(KEYS):
                key = b"key-%d" % number
                value = b"%d" % self.sent[key]
                while not self._stop.is_set():
                    try:
                        self._producer.produce(TOPIC, value, key=key, on_delivery=self._on_delivery)
                    except BufferError:
                        self._producer.poll(0.05)
                        continue
                    self.sent[key] += 1
                    break
            self._producer.poll(0)

    def wait_for_acks(self, more: int, timeout_s: float = 60.0) -> None:
        """Wait until this many more records are acknowledged."""
        goal, deadline = len(self.acked) + more, time.monotonic() + timeout_s
        while len(self.acked) < goal:
            assert not self.failed, self.failed[:3]
            assert time.monotonic() < deadline, f"no acknowledgement within {timeout_s} s"
            time.sleep(0.002)

    def finish(self) -> None:
        self._stop.set()
        self._thread.join()
        assert self._producer.flush(120) == 0, "records without a verdict"
        assert not self.failed, self.failed[:3]


def read_everything(bootstrap: str) -> dict[tuple[int, int], tuple[bytes, int]]:
    """All records by (partition, offset), up to the end offsets of this moment."""
    reader = Consumer({"bootstrap.servers": bootstrap, "group.id": "reader", "check.crcs": True})
    found: dict[tuple[int, int], tuple[bytes, int]] = {}
    try:
        partitions = [TopicPartition(TOPIC, partition, 0) for partition in range(PARTITIONS)]
        total = sum(reader.get_watermark_offsets(partition, 20)[1] for partition in partitions)
        reader.assign(partitions)
        deadline = time.monotonic() + 120
        while len(found) < total:
            assert time.monotonic() < deadline, f"{len(found)} of {total} records"
            for message in reader.consume(5_000, 0.2):
                assert message.error() is None, message.error()
                place = (message.partition() or 0, message.offset() or 0)
                found[place] = (message.key() or b"", int(message.value() or b""))
    finally:
        reader.close()
    return found


def check(load: Load, found: dict[tuple[int, int], tuple[bytes, int]]) -> None:
    lost = {place: record for place, record in load.acked.items() if found.get(place) != record}
    assert not lost, f"{len(lost)} acknowledged records lost or moved, such as {sorted(lost.items())[:3]}"
    missing = set(load.unplaced) - set(found.values())
    assert not missing, f"{len(missing)} acknowledged records lost, such as {sorted(missing)[:3]}"
    numbers: dict[bytes, list[int]] = defaultdict(list)
    for place in sorted(found):
        key, number = found[place]
        numbers[key].append(number)
    for key, sequence in numbers.items():
        assert sequence == list(range(load.sent[key])), f"{key!r}: a record is missing, repeated or out of order"


def create_topic(bootstrap: str) -> None:
    admin = AdminClient({"bootstrap.servers": bootstrap})
    admin.create_topics([NewTopic(TOPIC, num_partitions=PARTITIONS, replication_factor=1)])[TOPIC].result(20)


def kill_under_load(broker: Killable, kills: int, seed: int) -> None:
    rng = random.Random(seed)
    broker.start()
    create_topic(broker.bootstrap)
    load = Load(broker.bootstrap)
    recovery_s: list[float] = []
    try:
        for _ in range(kills):
            load.wait_for_acks(rng.randrange(1, 3_000))
            time.sleep(rng.uniform(0.0, 0.05))  # the moment of the kill, not a wait for anything
            broker.kill()
            started = time.monotonic()
            broker.start()
            load.wait_for_acks(1)
            recovery_s.append(time.monotonic() - started)
    finally:
        load.finish()
    found = read_everything(broker.bootstrap)
    check(load, found)
    print(
        f"{kills} kills, seed {seed}: {len(load.acked)} records acknowledged, {len(found)} read back, 0 lost, 0 twice; "
        f"back after {max(recovery_s):.2f} s at worst"
    )


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[RiachoProcess]:
    process = RiachoProcess(tmp_path, PROPERTIES)
    yield process
    if process.is_running:
        process.stop()


def test_nothing_acknowledged_is_lost_doubled_or_reordered(broker: RiachoProcess) -> None:
    kill_under_load(broker, KILLS, SEED)
