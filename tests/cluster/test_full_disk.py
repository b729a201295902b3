"""A disk that fills up: producers are told so and may retry, readers go on, and nothing acknowledged is ever lost.

The disk is a file system of a few mebibytes where one may be mounted; a limit on the size of the broker's files stands
in for it everywhere.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.raw import RawConnection, batch, wait_until_served
from conformance.waiting import eventually
from riacho.base.errors import ErrorCode
from riacho.wire.batch import crc_is_valid, iterate_headers
from riacho.wire.records import iterate_records
from support.riacho_process import RiachoProcess
from support.small_disk import SmallDisk, small_disk

DISK_SIZE_BYTES = 4 << 20
VALUE_SIZE_BYTES = 50_000
BATCHES_MAX = 4 * DISK_SIZE_BYTES // VALUE_SIZE_BYTES
PROPERTIES = {
    "offsets.topic.num.partitions": "1",
    "riacho.metrics.port": "-1",
    "log.segment.bytes": str(1 << 20),
    "log.segment.delete.delay.ms": "0",
}


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", DISK_SIZE_BYTES) as made:
        yield made.path


def resize(disk: Path, size_bytes: int) -> None:
    SmallDisk(disk).resize(size_bytes)


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[RiachoProcess]:
    process = RiachoProcess(tmp_path, PROPERTIES)
    yield process
    if process.is_running:
        process.stop()


def connect(broker: RiachoProcess) -> RawConnection:
    return RawConnection(("127.0.0.1", broker.port))


def create_topic(connection: RawConnection, name: str) -> None:
    wanted = {"name": name, "num_partitions": 1, "replication_factor": 1}
    [result] = connection.ask("CreateTopics", 7, topics=[wanted], timeout_ms=5_000).topics
    assert result.error_code == 0, result
    wait_until_served(connection, name)


def produce(connection: RawConnection, topic: str, value: bytes) -> tuple[int, int, str | None]:
    """(error code, base offset, error message)."""
    data = {"name": topic, "partition_data": [{"index": 0, "records": batch(value)}]}
    [stored] = connection.ask("Produce", 9, acks=-1, timeout_ms=5_000, topic_data=[data]).responses
    answer = stored.partition_responses[0]
    return answer.error_code, answer.base_offset, answer.error_message


def value_of(number: int) -> bytes:
    return b"%08d" % number + os.urandom(VALUE_SIZE_BYTES)


def fill(connection: RawConnection, topic: str, acked: list[bytes]) -> None:
    """Produce until the broker refuses; the refusal must be one that clients retry, and say what the matter is."""
    for number in range(BATCHES_MAX):
        value = value_of(number)
        code, offset, message = produce(connection, topic, value)
        if code:
            assert ErrorCode(code) is ErrorCode.KAFKA_STORAGE_ERROR
            assert ErrorCode(code).retriable
            assert message is not None
            assert topic in message, message
            return
        assert offset == len(acked)
        acked.append(value)
    pytest.fail("the disk never filled up")


def read_everything(connection: RawConnection, topic: str) -> list[bytes]:
    """Every value, in order, from batches whose checksums hold."""
    found: list[bytes] = []
    while True:
        partition = {"partition": 0, "fetch_offset": len(found), "partition_max_bytes": 1 << 20}
        answer = (
            connection.ask(
                "Fetch",
                11,
                max_wait_ms=0,
                min_bytes=0,
                max_bytes=1 << 20,
                session_epoch=-1,
                replica_id=-1,
                topics=[{"topic": topic, "partitions": [partition]}],
            )
            .responses[0]
            .partitions[0]
        )
        assert answer.error_code == 0, ErrorCode(answer.error_code)
        if len(found) >= answer.high_watermark:
            return found
        for position, header in iterate_headers(answer.records):
            if position + header.size_bytes <= len(answer.records):
                assert header.base_offset == len(found)
                assert crc_is_valid(answer.records, position, header)
                found += [record.value or b"" for record in iterate_records(answer.records, position)]


def test_a_full_disk_refuses_writes_serves_reads_and_heals(disk: Path, broker: RiachoProcess) -> None:
    broker.properties["log.dirs"] = str(disk)
    broker.start()
    acked: list[bytes] = []
    with connect(broker) as connection:
        create_topic(connection, "orders")
        fill(connection, "orders", acked)
        assert len(acked) > 20
        # It stays that way, and what was refused leaves no trace.
        for number in range(5):
            assert produce(connection, "orders", value_of(number))[0] == ErrorCode.KAFKA_STORAGE_ERROR
        assert read_everything(connection, "orders") == acked
        resize(disk, 2 * DISK_SIZE_BYTES)
        fill(connection, "orders", acked)
        assert read_everything(connection, "orders") == acked
    assert broker.stop() == 0, broker.output_tail()
    assert "Traceback" not in broker.output_tail()
    assert "broker stopped" in broker.output_tail()
    resize(disk, 3 * DISK_SIZE_BYTES)
    broker.start()
    with connect(broker) as connection:
        assert read_everything(connection, "orders") == acked
        value = value_of(0)
        assert produce(connection, "orders", value) == (0, len(acked), None)
        assert read_everything(connection, "orders") == [*acked, value]


def test_a_broker_killed_on_a_full_disk_keeps_what_it_acknowledged(disk: Path, broker: RiachoProcess) -> None:
    broker.properties["log.dirs"] = str(disk)
    broker.start()
    acked: list[bytes] = []
    with connect(broker) as connection:
        create_topic(connection, "orders")
        fill(connection, "orders", acked)
    broker.kill()
    resize(disk, 2 * DISK_SIZE_BYTES)
    broker.start()
    with connect(broker) as connection:
        assert read_everything(connection, "orders") == acked
        assert produce(connection, "orders", value_of(0))[:2] == (0, len(acked))


def test_deleting_a_topic_gives_its_room_to_the_others(disk: Path, broker: RiachoProcess, tmp_path: Path) -> None:
    """The metadata is on another disk, as a deletion is itself a record."""
    broker.properties |= {"log.dirs": str(disk), "metadata.log.dir": str(tmp_path / "metadata")}
    broker.start()
    kept: list[bytes] = []
    with connect(broker) as connection:
        create_topic(connection, "spare")
        for number in range(30):
            assert produce(connection, "spare", value_of(number))[0] == 0
        create_topic(connection, "orders")
        fill(connection, "orders", kept)
        late = {"name": "late", "num_partitions": 1, "replication_factor": 1}
        connection.ask("CreateTopics", 7, topics=[late], timeout_ms=5_000)
        assert connection.ask("DeleteTopics", 4, topic_names=["spare"], timeout_ms=5_000).responses[0].error_code == 0
        value = value_of(0)
        eventually(lambda: produce(connection, "orders", value)[0] == 0)
        assert read_everything(connection, "orders") == [*kept, value]
        # A topic made meanwhile was in the metadata before it had room for files.
        eventually(lambda: produce(connection, "late", value)[0] == 0)
        assert read_everything(connection, "late") == [value]


def test_files_that_may_not_grow_are_a_full_disk_too(broker: RiachoProcess) -> None:
    broker.properties["log.segment.bytes"] = str(64 << 20)
    broker.start()
    hard = resource.prlimit(broker.pid, resource.RLIMIT_FSIZE)[1]
    acked: list[bytes] = []
    with connect(broker) as connection:
        create_topic(connection, "orders")
        resource.prlimit(broker.pid, resource.RLIMIT_FSIZE, (500_000, hard))
        fill(connection, "orders", acked)
        assert len(acked) == 500_000 // (VALUE_SIZE_BYTES + 100)
        assert read_everything(connection, "orders") == acked
        resource.prlimit(broker.pid, resource.RLIMIT_FSIZE, (hard, hard))
        value = value_of(0)
        assert produce(connection, "orders", value) == (0, len(acked), None)
        acked.append(value)
    assert broker.stop() == 0
    broker.start()
    with connect(broker) as connection:
        assert read_everything(connection, "orders") == acked
