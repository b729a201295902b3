"""What retention, DeleteRecords and compaction leave, as a consumer sees it in a running broker."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, Producer, TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ResourceType,
)

from riacho.testing import KafkaCluster

PROPERTIES = {
    "log.retention.check.interval.ms": "100",
    "log.cleaner.backoff.ms": "50",
    "log.segment.delete.delay.ms": "0",
}
HOUR_MS = 3_600_000
SEGMENT_SIZE_BYTES = 1 << 20
DEADLINE_S = 30.0


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def cluster(data_dir: Path) -> Iterator[KafkaCluster]:
    with KafkaCluster(PROPERTIES, data_dir=data_dir) as running:
        yield running


def eventually(question: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not question():
        assert time.monotonic() < deadline, f"not so after {DEADLINE_S} s"
        time.sleep(0.05)


class Topic:
    """One partition, and the clients to write it and to read all that is left of it."""

    def __init__(self, cluster: KafkaCluster, name: str, **configs: str) -> None:
        cluster.create_topic(name, configs={key.replace("_", "."): value for key, value in configs.items()})
        self.name = name
        self.bootstrap = cluster.bootstrap_servers
        self.connect()

    def connect(self) -> None:
        """New clients. After a restart too: one that lost all its brokers forgets its topics before it asks again."""
        self._producer = Producer({"bootstrap.servers": self.bootstrap, "linger.ms": 0, "log_level": 0})
        self._reader = Consumer(
            {
                "bootstrap.servers": self.bootstrap,
                "group.id": "readers",
                "enable.auto.commit": False,
                "enable.partition.eof": True,
                "check.crcs": True,
                "fetch.wait.max.ms": 10,
                "log_level": 0,
            }
        )

    def write(self, value: bytes | None, key: bytes | None = None, timestamp_ms: int = 0) -> None:
        self._producer.produce(self.name, value, key=key, partition=0, timestamp=timestamp_ms)
        assert self._producer.flush(20) == 0

    def read(self) -> list[tuple[int, bytes | None, bytes | None]]:
        """(offset, key, value) from the log start to the log end."""
        reader = self._reader
        reader.assign([TopicPartition(self.name, 0, OFFSET_BEGINNING)])
        found: list[tuple[int, bytes | None, bytes | None]] = []
        deadline = time.monotonic() + DEADLINE_S
        while True:
            assert time.monotonic() < deadline, "the end never came"
            message = reader.poll(0.1)
            if message is None:
                continue
            error = message.error()
            if error is not None and error.code() == KafkaError._PARTITION_EOF:
                reader.unassign()
                return found
            assert error is None, error
            found.append((message.offset() or 0, message.key(), message.value()))

    def watermarks(self) -> tuple[int, int]:
        low, high = self._reader.get_watermark_offsets(TopicPartition(self.name, 0), timeout=20)
        return low, high


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def test_records_older_than_retention_ms_go_and_offsets_go_on(cluster: KafkaCluster, data_dir: Path) -> None:
    topic = Topic(cluster, "by-time", retention_ms=str(HOUR_MS))
    for number in range(5):
        topic.write(b"old %d" % number, timestamp_ms=now_ms() - 2 * HOUR_MS)
    eventually(lambda: topic.watermarks() == (5, 5))
    topic.write(b"new")
    assert topic.read() == [(5, None, b"new")]
    eventually(lambda: [path.name for path in (data_dir / "by-time-0").glob("*.log*")] == [f"{5:020}.log"])


def test_a_shorter_retention_takes_effect_on_a_running_topic(cluster: KafkaCluster) -> None:
    topic = Topic(cluster, "shortened", retention_ms="-1")
    topic.write(b"ancient", timestamp_ms=1)
    assert topic.read() == [(0, None, b"ancient")]
    entry = ConfigEntry("retention.ms", str(HOUR_MS), incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource(ResourceType.TOPIC, "shortened", incremental_configs=[entry])
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    admin.incremental_alter_configs([resource])[resource].result(20)
    eventually(lambda: topic.watermarks() == (1, 1))
    assert topic.read() == []


def test_segments_beyond_retention_bytes_go_oldest_first(cluster: KafkaCluster, data_dir: Path) -> None:
    sizes = {"segment_bytes": str(SEGMENT_SIZE_BYTES), "retention_bytes": str(2 * SEGMENT_SIZE_BYTES)}
    topic = Topic(cluster, "by-size", **sizes)
    values = [b"%03d" % number + os.urandom(100_000) for number in range(50)]
    for value in values:
        topic.write(value)

    def size_bytes() -> int:
        return sum(path.stat().st_size for path in (data_dir / "by-size-0").glob("*.log"))

    # The oldest segment stays while the log without it would be smaller than asked for.
    eventually(lambda: size_bytes() < 3 * SEGMENT_SIZE_BYTES)
    low, high = topic.watermarks()
    assert low > 0
    assert high == 50
    assert topic.read() == [(offset, None, values[offset]) for offset in range(low, 50)]
    assert size_bytes() >= 2 * SEGMENT_SIZE_BYTES, "no more goes than must"


def test_deleted_records_are_gone_for_good(cluster: KafkaCluster) -> None:
    topic = Topic(cluster, "deleted")
    for number in range(10):
        topic.write(b"%d" % number)

    def delete_before(offset: int) -> int:
        admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers, "log_level": 0})
        asked = TopicPartition("deleted", 0, offset)
        return int(admin.delete_records([asked])[asked].result(20).low_watermark)

    assert delete_before(4) == 4
    assert topic.read() == [(number, None, b"%d" % number) for number in range(4, 10)]
    with pytest.raises(Exception, match="OFFSET_OUT_OF_RANGE"):
        delete_before(11)
    cluster.restart()
    topic.connect()
    assert topic.watermarks() == (4, 10)
    assert topic.read()[0] == (4, None, b"4")
    assert delete_before(-1) == 10
    assert topic.read() == []
    topic.write(b"next")
    assert topic.read() == [(10, None, b"next")]


def latest(topic: Topic) -> dict[bytes | None, bytes | None]:
    return {key: value for _, key, value in topic.read() if key != b"tick"}


def compacted(topic: Topic, wanted: dict[bytes, bytes | None]) -> bool:
    """Whether each key is there once with this value. A tick lets the active segment end, so that it may be cleaned."""
    topic.write(b"", key=b"tick")
    found = [(key, value) for _, key, value in topic.read() if key != b"tick"]
    return sorted(found, key=str) == sorted(wanted.items(), key=str)


COMPACTION = {
    "cleanup_policy": "compact",
    "segment_ms": "50",
    "min_cleanable_dirty_ratio": "0.01",
    "min_compaction_lag_ms": "0",
}


def test_compaction_keeps_the_last_value_of_a_key_and_its_offset(cluster: KafkaCluster) -> None:
    topic = Topic(cluster, "compacted", **COMPACTION)
    for round_number in range(5):
        for key in (b"a", b"b", b"c"):
            topic.write(b"%s %d" % (key, round_number), key=key)
    assert latest(topic) == {b"a": b"a 4", b"b": b"b 4", b"c": b"c 4"}
    eventually(lambda: compacted(topic, {b"a": b"a 4", b"b": b"b 4", b"c": b"c 4"}))
    assert topic.watermarks()[0] == 0, "compaction does not move the log start"
    assert [offset for offset, key, _ in topic.read() if key != b"tick"] == [12, 13, 14]
    cluster.restart()
    topic.connect()
    assert latest(topic) == {b"a": b"a 4", b"b": b"b 4", b"c": b"c 4"}


def test_a_tombstone_is_seen_until_its_time_is_over(cluster: KafkaCluster) -> None:
    patient = Topic(cluster, "patient", **COMPACTION, delete_retention_ms=str(HOUR_MS))
    hasty = Topic(cluster, "hasty", **COMPACTION, delete_retention_ms="0")
    for topic in (patient, hasty):
        topic.write(b"kept", key=b"stays")
        topic.write(b"to be deleted", key=b"goes")
        topic.write(None, key=b"goes")
    eventually(lambda: compacted(patient, {b"stays": b"kept", b"goes": None}))
    eventually(lambda: compacted(hasty, {b"stays": b"kept"}))
    assert compacted(patient, {b"stays": b"kept", b"goes": None})


def test_a_record_without_a_key_is_refused_by_a_compacted_topic(cluster: KafkaCluster) -> None:
    topic = Topic(cluster, "keys-only", **COMPACTION)
    outcome: list[KafkaError | None] = []
    producer = Producer({"bootstrap.servers": topic.bootstrap, "log_level": 0, "retries": 0})
    producer.produce("keys-only", b"no key", partition=0, on_delivery=lambda error, _: outcome.append(error))
    assert producer.flush(20) == 0
    [error] = outcome
    assert error is not None
    assert error.code() == 87  # INVALID_RECORD
    assert topic.watermarks() == (0, 0)


def test_compact_and_delete_does_both(cluster: KafkaCluster) -> None:
    both = {**COMPACTION, "cleanup_policy": "compact,delete", "retention_ms": str(HOUR_MS)}
    topic = Topic(cluster, "both", **both)
    topic.write(b"old", key=b"gone", timestamp_ms=now_ms() - 2 * HOUR_MS)
    for number in range(3):
        topic.write(b"%d" % number, key=b"k")
    eventually(lambda: compacted(topic, {b"k": b"2"}))
    assert topic.watermarks()[0] > 0
