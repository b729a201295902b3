"""What the coordinator writes down is read by Apache Kafka's own tool."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from riacho.wire.records import Record, build_batch
from support.apache_kafka import available, java_tool
from support.transaction_world import T0, T1, TransactionWorld


@pytest.fixture(autouse=True)
def apache() -> None:
    reason = available()
    if reason:
        pytest.skip(f"no Apache Kafka beside us: {reason}")


def dumped(world: TransactionWorld, directory: Path) -> list[str]:
    """The payloads that kafka-dump-log shows of the world's log."""
    partition = directory / "__transaction_state-0"
    partition.mkdir()
    segment = partition / f"{0:020d}.log"
    records = [
        Record(offset_delta=at, timestamp_delta=0, key=record.key, value=record.value, headers=[])
        for at, record in enumerate(world.log)
    ]
    segment.write_bytes(build_batch(records, base_timestamp=world.now_ms))
    shown = java_tool("kafka-dump-log", ["--transaction-log-decoder", "--files", str(segment)])
    assert shown.returncode == 0, shown.stderr
    return re.findall(r"key: (.*) payload: (.*)", shown.stdout)


@pytest.mark.parametrize("transaction_version", [0, 2])
def test_kafka_dump_log_reads_it(tmp_path: Path, transaction_version: int) -> None:
    world = TransactionWorld(transaction_version=transaction_version)
    pid, epoch = world.initialised()
    world.add((pid, epoch), T0, T1, version=3)
    world.commit((pid, epoch), version=4 if transaction_version == 0 else 5)
    world.write_markers()
    world.run(world.shard.expire_ids(world.now_ms + world.config.id_expiration_ms))
    shown = dumped(world, tmp_path)
    bumped = epoch + (transaction_version == 2)
    for (key, payload), expected in zip(
        shown,
        [
            f'"producerEpoch":{epoch},"transactionTimeoutMs":60000,"transactionStatus":0,"transactionPartitions":null',
            f'"producerEpoch":{epoch},"transactionTimeoutMs":60000,"transactionStatus":1,"transactionPartitions":'
            '[{"topic":"t","partitionIds":[0,1]}]',
            f'"producerEpoch":{bumped},"transactionTimeoutMs":60000,"transactionStatus":2',
            f'"producerEpoch":{bumped},"transactionTimeoutMs":60000,"transactionStatus":4,"transactionPartitions":[]',
            "<DELETE>",
        ],
        strict=True,
    ):
        assert "tx" in key
        assert expected in payload, shown
