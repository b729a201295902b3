"""The files are Kafka's: its own tool reads all of ours, and we read what its broker wrote."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

from riacho.log.config import LogConfig
from riacho.log.log import Log
from support.apache_kafka import ApacheKafka, available, java_tool
from support.java import TOOL_JVM_FLAGS
from support.log_files import read_batches, read_records
from support.riacho_process import RiachoProcess

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
PER_CODEC = 500
COUNT = PER_CODEC * len(CODECS)
TOPIC = "orders"
PROPERTIES = {
    "offsets.topic.num.partitions": "1",
    "transaction.state.log.num.partitions": "1",
    "log.segment.bytes": str(1 << 20),
    "riacho.metrics.port": "-1",
}


@pytest.fixture(scope="module", autouse=True)
def _apache() -> None:
    reason = available()
    if reason is not None:
        pytest.skip(f"no Apache Kafka to compare with: {reason}")


def value_of(number: int) -> bytes:
    """Noise with a run at its end: every codec gains a little, none so much that no segment rolls. Always the same."""
    noise = (hashlib.sha512(b"%d %d" % (number, at)).digest() for at in range(14))
    return b"%06d" % number + b"".join(noise) + b"." * 400


def write_all(bootstrap: str) -> None:
    """Batches of every codec, from idempotent producers, and a group's committed offset."""
    admin = AdminClient({"bootstrap.servers": bootstrap})
    admin.create_topics([NewTopic(TOPIC, 1, 1)])[TOPIC].result(30)
    for at, codec in enumerate(CODECS):
        settings = {"enable.idempotence": True, "compression.type": codec, "batch.num.messages": 25, "linger.ms": 5}
        producer = Producer({"bootstrap.servers": bootstrap, "log_level": 0, **settings})
        for number in range(at * PER_CODEC, (at + 1) * PER_CODEC):
            producer.produce(TOPIC, value_of(number), key=b"%d" % (number % 7), partition=0, headers=[("h", b"v")])
        assert producer.flush(30) == 0
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "readers", "log_level": 0})
    consumer.commit(offsets=[TopicPartition(TOPIC, 0, 123)], asynchronous=False)
    consumer.close()


def dump(*arguments: str) -> list[str]:
    """What kafka-dump-log says, without its words about the first batch of a segment that is not the first."""
    done = java_tool("kafka-dump-log", list(arguments), timeout=90)
    assert done.returncode == 0, done.stderr
    complaints = done.stderr.splitlines()
    kept = [line for line in complaints if not line.startswith(("Non-consecutive offsets in", "  -1 is followed by"))]
    assert kept == [], kept
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def ours(_apache: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data directory that a Riacho broker left."""
    broker = RiachoProcess(Path(tmp_path_factory.mktemp("ours")), PROPERTIES)
    write_all(broker.start())
    assert broker.stop() == 0
    return broker.directory / "data"


def files_of(directory: Path, *suffixes: str) -> list[Path]:
    return sorted(path for path in directory.iterdir() if path.suffix in suffixes)


def test_apache_reads_our_segments_indexes_and_snapshots(ours: Path) -> None:
    partition = ours / f"{TOPIC}-0"
    segments = files_of(partition, ".log")
    assert len(segments) >= 2, "segments rolled"
    files = [*segments, *files_of(partition, ".index", ".timeindex", ".snapshot")]
    lines = dump("--deep-iteration", "--print-data-log", "--files", ",".join(map(str, files)))
    assert [line for line in lines if "Mismatch" in line or "Indexed offset" in line or "isvalid: false" in line] == []
    payloads = [line.partition(" payload: ")[2] for line in lines if " payload: " in line]
    assert [text[:6] for text in payloads] == [f"{number:06d}" for number in range(COUNT)]
    batches = [line for line in lines if line.startswith("baseOffset:")]
    assert {line.partition("compresscodec: ")[2].split()[0] for line in batches} == set(CODECS)
    producers = {line.partition("producerId: ")[2].split()[0] for line in lines if line.startswith("producerId:")}
    assert len(producers) == len(CODECS), "the last snapshot knows every producer"
    assert any(line.startswith("offset: ") and " position: " in line for line in lines), "an index has entries"
    assert any(line.startswith("timestamp: ") and " offset: " in line for line in lines), "a time index has entries"


def test_apache_finds_our_indexes_sane(ours: Path) -> None:
    files = files_of(ours / f"{TOPIC}-0", ".index", ".timeindex")
    lines = dump("--index-sanity-check", "--files", ",".join(map(str, files)))
    assert sum("passed sanity check" in line for line in lines) == len(files), lines


def test_apache_reads_our_group_records(ours: Path) -> None:
    lines = dump("--offsets-decoder", "--files", str(ours / "__consumer_offsets-0" / f"{0:020}.log"))
    [committed] = [line for line in lines if '"topic":"orders"' in line]
    assert '"group":"readers"' in committed
    assert '"offset":123' in committed


def test_apache_reads_our_cluster_metadata(ours: Path) -> None:
    lines = dump("--cluster-metadata-decoder", "--files", str(ours / "__cluster_metadata-0" / f"{0:020}.log"))
    records = [line for line in lines if line.startswith("| offset:")]
    for kind in ("FEATURE_LEVEL_RECORD", "REGISTER_BROKER_RECORD", "TOPIC_RECORD", "PARTITION_RECORD", "CONFIG_RECORD"):
        assert any(f'"type":"{kind}"' in line for line in records), kind
    assert any("LeaderChange" in line for line in records)
    assert not any("isvalid: false" in line for line in lines)


@pytest.fixture(scope="module")
def apaches(_apache: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data directory that an Apache Kafka broker left, with a transaction aborted and one committed."""
    properties = {name: value for name, value in PROPERTIES.items() if not name.startswith("riacho.")}
    directory = Path(tmp_path_factory.mktemp("apache"))
    kafka = ApacheKafka(directory, properties, jvm_flags=("-Xms256M", *TOOL_JVM_FLAGS))
    try:
        write_all(kafka.start())
        producer = Producer(
            {"bootstrap.servers": kafka.bootstrap, "transactional.id": "t", "log_level": 0, "linger.ms": 0}
        )
        producer.init_transactions(30)
        endings: list[Callable[[float], None]] = [producer.abort_transaction, producer.commit_transaction]
        for at, end in enumerate(endings):
            producer.begin_transaction()
            producer.produce(TOPIC, value_of(COUNT + at), key=b"t", partition=0)
            producer.flush(30)
            end(30)
    finally:
        kafka.stop()
    return kafka.log_dir


@pytest.mark.parametrize("clean", [True, False], ids=["as it was left", "with a recovery"])
def test_we_read_what_apache_wrote(apaches: Path, tmp_path: Path, clean: bool) -> None:
    copy = tmp_path / f"{TOPIC}-0"
    shutil.copytree(apaches / f"{TOPIC}-0", copy)
    written = b"".join(path.read_bytes() for path in files_of(copy, ".log"))
    log = Log.open(copy, LogConfig(), topic_id=None, now_ms=0, clean_shutdown=clean, recovery_point=0)
    log.high_watermark = log.log_end_offset
    try:
        assert log.topic_id is not None
        # A record and a marker of each transaction come after the others.
        assert log.log_end_offset == COUNT + 4
        assert len(log.segments) >= 2
        assert b"".join(data for _, data in read_batches(log)) == written
        records = read_records(log)
        assert [value for _, _, value in records] == [value_of(number) for number in range(COUNT + 2)]
        assert [offset for offset, _, _ in records] == [*range(COUNT), COUNT, COUNT + 2]
        assert [first for _, first in log.aborted_transactions(0, log.log_end_offset)] == [COUNT]
        assert len(log.producers()) == len(CODECS) + 1
        assert log.last_stable_offset == log.log_end_offset
        latest = log.max_timestamp()
        assert latest is not None
        found = log.lookup_timestamp(latest[0])
        assert found is not None
        assert found[0] == latest[0]
        assert log.truncated_size_bytes == 0
    finally:
        log.close(clean=True)
    assert b"".join(path.read_bytes() for path in files_of(copy, ".log")) == written
