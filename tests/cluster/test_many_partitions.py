"""A thousand partitions on one broker: made, written to, and there again after a clean restart and after a crash."""

from __future__ import annotations

import time
from pathlib import Path

from conformance.raw import RawConnection, batch
from conformance.waiting import eventually
from riacho.base.errors import ErrorCode
from support.riacho_process import RiachoProcess

TOPICS = 10
PARTITIONS_PER_TOPIC = 100
# Far beyond what a loaded machine takes: it catches work that grows with the square of the partitions.
BOUND_S = 45.0
PROPERTIES = {"offsets.topic.num.partitions": "1", "riacho.metrics.port": "-1"}
NAMES = [f"wide-{number}" for number in range(TOPICS)]


def connect(broker: RiachoProcess) -> RawConnection:
    return RawConnection(("127.0.0.1", broker.port))


def create_all(connection: RawConnection) -> None:
    wanted = [{"name": name, "num_partitions": PARTITIONS_PER_TOPIC, "replication_factor": 1} for name in NAMES]
    answer = connection.ask("CreateTopics", 7, topics=wanted, timeout_ms=30_000)
    assert [(result.name, result.error_code) for result in answer.topics] == [(name, 0) for name in NAMES]


def produce_everywhere(connection: RawConnection, value: bytes) -> set[tuple[int, int]]:
    """One record to each partition in one request; the (error code, base offset) pairs."""
    partitions = [{"index": index, "records": batch(value)} for index in range(PARTITIONS_PER_TOPIC)]
    data = [{"name": name, "partition_data": partitions} for name in NAMES]
    answer = connection.ask("Produce", 9, acks=-1, timeout_ms=30_000, topic_data=data)
    found = [partition for topic in answer.responses for partition in topic.partition_responses]
    assert len(found) == TOPICS * PARTITIONS_PER_TOPIC
    return {(partition.error_code, partition.base_offset) for partition in found}


def led_partitions(connection: RawConnection) -> int:
    answer = connection.ask("Metadata", 9, topics=[{"name": name} for name in NAMES])
    return sum(
        partition.error_code == ErrorCode.NONE and partition.leader_id == 1
        for topic in answer.topics
        for partition in topic.partitions
    )


def end_offsets(connection: RawConnection) -> set[tuple[int, int]]:
    """(error code, end offset) over all partitions."""
    partitions = [{"partition_index": index, "timestamp": -1} for index in range(PARTITIONS_PER_TOPIC)]
    asked = [{"name": name, "partitions": partitions} for name in NAMES]
    answer = connection.ask("ListOffsets", 5, replica_id=-1, topics=asked)
    return {(partition.error_code, partition.offset) for topic in answer.topics for partition in topic.partitions}


def test_a_thousand_partitions(tmp_path: Path) -> None:
    broker = RiachoProcess(tmp_path, PROPERTIES)
    took_s: dict[str, float] = {}
    started = time.monotonic()

    def lap(name: str) -> None:
        took_s[name] = time.monotonic() - started - sum(took_s.values())

    broker.start(timeout_s=BOUND_S)
    try:
        with connect(broker) as connection:
            lap("start")
            create_all(connection)
            lap("create")
            # Files are made in turns, after the answer, so that nobody else waits for a thousand of them.
            eventually(lambda: end_offsets(connection) == {(0, 0)})
            lap("host")
            assert produce_everywhere(connection, b"one") == {(0, 0)}
            lap("write to all")
            assert led_partitions(connection) == TOPICS * PARTITIONS_PER_TOPIC
            lap("metadata")
        assert broker.stop(timeout_s=BOUND_S) == 0
        lap("stop")
        broker.start(timeout_s=BOUND_S)
        lap("start again")
        with connect(broker) as connection:
            assert led_partitions(connection) == TOPICS * PARTITIONS_PER_TOPIC
            assert end_offsets(connection) == {(0, 1)}
            assert produce_everywhere(connection, b"two") == {(0, 1)}
            lap("answer")
        broker.kill()
        broker.start(timeout_s=BOUND_S)
        lap("start after a crash")
        with connect(broker) as connection:
            assert end_offsets(connection) == {(0, 2)}
    finally:
        if broker.is_running:
            broker.stop(timeout_s=BOUND_S)
    print(f"{TOPICS * PARTITIONS_PER_TOPIC} partitions: {', '.join(f'{k} {v:.2f} s' for k, v in took_s.items())}")
    assert sum(took_s.values()) < BOUND_S
