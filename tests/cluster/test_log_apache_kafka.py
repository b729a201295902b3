"""The files are Kafka's: its own tool reads what a log leaves, and a log opens what an Apache Kafka broker left."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from confluent_kafka import Producer

from riacho.log.checkpoints import read_offsets
from riacho.log.cleaner import commit
from riacho.log.cleaning import clean
from riacho.log.compaction import cleanable, plan_cleaning
from riacho.log.config import LogConfig
from riacho.log.log import Log
from riacho.log.meta_properties import read_meta_properties
from support.apache_kafka import ApacheKafka
from support.java import TOOL_JVM_FLAGS, available, java_tool
from support.log_files import append, append_marker, open_log, read_records

pytestmark = pytest.mark.skipif(available() is not None, reason=str(available()))


def dump(*paths: Path, arguments: tuple[str, ...] = ()) -> str:
    done = java_tool("kafka-dump-log", ["--files", ",".join(map(str, paths)), *arguments])
    text = done.stdout if isinstance(done.stdout, str) else done.stdout.decode()
    assert done.returncode == 0, text
    return text


def build(directory: Path, **config: object) -> Log:
    log = open_log(directory, index_interval_bytes=200, **config)
    for number in range(12):
        append(log, b"v%d" % number, b"w" * 90, keys=[b"k%d" % (number % 3), b"x"], epoch=2, timestamp=1_000 + number,
               producer_id=5, producer_epoch=1, base_sequence=2 * number, codec=number % 5)  # fmt: skip
    append(log, b"t", keys=[b"t"], epoch=2, producer_id=6, producer_epoch=0, base_sequence=0, transactional=True)
    append_marker(log, 6, aborted=True, coordinator_epoch=3)
    return log


def test_a_closed_log_reads_as_kafkas(tmp_path: Path) -> None:
    log = build(tmp_path / "t-0")
    log.close(clean=True)
    stem = tmp_path / "t-0" / f"{0:020d}"
    text = dump(stem.with_suffix(".log"), arguments=("--deep-iteration", "--print-data-log"))
    offsets = [int(found) for found in re.findall(r"^\| offset: (\d+)", text, re.MULTILINE)]
    assert offsets == list(range(26))
    assert text.count("isvalid: true") == 14
    assert "endTxnMarker: ABORT coordinatorEpoch: 3" in text
    assert "partitionLeaderEpoch: 2" in text

    text = dump(stem.with_suffix(".index"), stem.with_suffix(".timeindex"), arguments=("--index-sanity-check",))
    assert text.count("passed sanity check") == 2
    text = dump(stem.with_suffix(".index"), stem.with_suffix(".timeindex"))
    assert not re.search(r"mismatch|Found", text, re.IGNORECASE)
    text = dump(stem.with_suffix(".txnindex"))
    assert re.search(r"producerId=?:? ?6.*firstOffset=?:? ?24.*lastOffset=?:? ?25", text)
    text = dump(tmp_path / "t-0" / f"{26:020d}.snapshot")
    assert re.search(r"producerId: 5 producerEpoch: 1 .*lastSequence: 23.*", text), text


def test_compacted_segments_read_as_kafkas(tmp_path: Path) -> None:
    log = build(tmp_path / "t-0", cleanup_policy=frozenset({"compact"}))
    append(log, None, keys=[b"k0"], epoch=2)  # type: ignore[arg-type]
    log.roll(0)
    log.high_watermark = log.log_end_offset
    plan = plan_cleaning(log, cleanable(log, None, 5_000), 5_000)
    assert plan is not None
    assert commit(log, clean(plan), 5_000)
    log.close(clean=True)
    stem = tmp_path / "t-0" / f"{0:020d}"
    text = dump(stem.with_suffix(".log"), arguments=("--deep-iteration", "--print-data-log"))
    keys = re.findall(r"^\| offset: (\d+) .* key: (\w+)", text, re.MULTILINE)
    assert keys == [("20", "k1"), ("22", "k2"), ("23", "x"), ("26", "k0")]
    assert "isvalid: false" not in text
    assert re.search(rf"deleteHorizonMs: \D*{5_000 + 24 * 3_600_000}\b", text)
    text = dump(stem.with_suffix(".index"), stem.with_suffix(".timeindex"))
    assert not re.search(r"mismatch|Found", text, re.IGNORECASE)


@pytest.mark.parametrize("clean_stop", [True, False])
def test_a_partition_that_kafka_wrote_opens(tmp_path: Path, clean_stop: bool) -> None:
    with ApacheKafka(tmp_path, {"log.index.interval.bytes": 200}, jvm_flags=TOOL_JVM_FLAGS) as kafka:
        producer = Producer({"bootstrap.servers": kafka.bootstrap, "enable.idempotence": True, "linger.ms": 0})
        for number in range(300):
            producer.produce("orders", value=b"%d" % number, key=b"k", partition=0)
            if number % 10 == 9:
                assert producer.flush(30) == 0
        # Closed before the broker is: it would go on looking for it.
        del producer
        if not clean_stop:
            kafka.kill()
    assert (kafka.log_dir / ".kafka_cleanshutdown").exists() == clean_stop
    log = Log.open(
        kafka.log_dir / "orders-0",
        LogConfig(index_interval_bytes=200),
        topic_id=None,
        now_ms=int(time.time() * 1000),
        clean_shutdown=clean_stop,
    )
    assert log.truncated_size_bytes == 0
    assert [value for _, _, value in read_records(log)] == [b"%d" % number for number in range(300)]
    for offset in (1, 150, 299):
        assert [row[0] for row in read_records(log, offset) if row[0] >= offset] == list(range(offset, 300))
    (known,) = log.producers()
    assert (known.last_sequence, known.last_offset) == (299, 299)
    assert log.topic_id is not None
    assert log.latest_epoch >= 0
    greatest = log.max_timestamp()
    assert greatest is not None
    assert log.lookup_timestamp(greatest[0]) == greatest
    if clean_stop:
        (directory_meta,) = [read_meta_properties(str(kafka.log_dir))]
        assert directory_meta is not None
        assert directory_meta.cluster_id == kafka.cluster_id
        assert read_offsets(str(kafka.log_dir / "recovery-point-offset-checkpoint"))["orders", 0] == 300
