"""What a task reads from a real broker, without Spark around it: ranges, transactions, losses, trouble."""

from __future__ import annotations

import pytest

from conformance.running_broker import RunningBroker
from riacho.pipelines.source.batch_reader import BatchReader
from riacho.pipelines.source.fetcher import LossError
from riacho.pipelines.source.offset_reader import SourceError
from riacho.pipelines.source.splits import OffsetRange, Split
from spark.source.conftest import Topics
from spark.source.topics import delete_records, delete_topic, numbered, produce, transactions
from support.ports import free_port


def reader(broker: RunningBroker, name: str, **options: str) -> BatchReader:
    return BatchReader({"kafka.bootstrap.servers": broker.bootstrap, "subscribe": name, **options})


def values(source: BatchReader) -> list[bytes]:
    return [value for split in source.partitions() for value in read(source, split)]


def read(source: BatchReader, split: object) -> list[bytes]:
    assert isinstance(split, Split)
    return [value for batch in source.read(split) for value in batch.column("value").to_pylist()]


@pytest.mark.parametrize("codec", ["gzip", "snappy", "lz4", "zstd"])
def test_compressed_batches_are_read(broker: RunningBroker, topic: Topics, codec: str) -> None:
    name = topic()
    produce(broker.bootstrap, name, numbered(50, 1), **{"compression.type": codec})
    assert values(reader(broker, name)) == [f"v{n}".encode() for n in range(50)]


def test_batches_larger_than_the_fetch_size_are_read_all_the_same(broker: RunningBroker, topic: Topics) -> None:
    name = topic()
    for first in range(0, 30, 10):
        produce(broker.bootstrap, name, numbered(10, 1, first))
    found = values(reader(broker, name, **{"kafka.max.partition.fetch.bytes": "1", "maxRecordsPerPartition": "7"}))
    assert found == [f"v{n}".encode() for n in range(30)]


def test_aborted_transactions_are_seen_only_by_those_who_ask_for_them(broker: RunningBroker, topic: Topics) -> None:
    name = topic()
    transactions(broker.bootstrap, name, [("a", True), ("b", False), ("c", True), ("d", False), ("e", False)])
    assert values(reader(broker, name)) == [value for value in (b"a", b"b", b"c", b"d", b"e") for _ in range(3)]
    committed = reader(broker, name, **{"kafka.isolation.level": "read_committed"})
    assert values(committed) == [b"a"] * 3 + [b"c"] * 3
    # A range that begins and ends within transactions: the markers before and after it count too.
    assert read(committed, Split(OffsetRange(name, 0, 5, 10))) == [b"c"] * 2


def test_records_deleted_before_they_were_read_are_a_loss(broker: RunningBroker, topic: Topics) -> None:
    name = topic()
    produce(broker.bootstrap, name, numbered(10, 1))
    delete_records(broker.bootstrap, name, 0, 6)
    whole = Split(OffsetRange(name, 0, 2, 10))
    with pytest.raises(
        LossError, match="not all there any more, since the partition now holds 6 to 10; set the option"
    ):
        read(reader(broker, name), whole)
    careless = reader(broker, name, failOnDataLoss="false")
    assert read(careless, whole) == [b"v6", b"v7", b"v8", b"v9"]
    assert read(careless, Split(OffsetRange(name, 0, 2, 5))) == []
    assert read(careless, Split(OffsetRange(name, 0, 40, 50))) == []
    assert values(reader(broker, name)) == [b"v6", b"v7", b"v8", b"v9"]


def test_a_topic_deleted_before_it_was_read_is_a_loss(broker: RunningBroker, topic: Topics) -> None:
    name = topic()
    produce(broker.bootstrap, name, numbered(3, 1))
    split = Split(OffsetRange(name, 0, 0, 3))
    delete_topic(broker.bootstrap, name)
    with pytest.raises(LossError, match="does not exist any more"):
        read(reader(broker, name), split)


def test_an_end_that_never_comes_is_told(broker: RunningBroker, topic: Topics) -> None:
    name = topic()
    produce(broker.bootstrap, name, numbered(3, 1))
    patient = {"kafkaConsumer.pollTimeoutMs": "1000", "kafka.fetch.max.wait.ms": "10"}
    with pytest.raises(SourceError, match=r"No record at or after offset 3 of .* the read goes up to offset 9"):
        read(reader(broker, name, **patient), Split(OffsetRange(name, 0, 0, 9)))


def test_a_cluster_that_cannot_be_reached_is_told() -> None:
    port = free_port()
    options = {"kafka.bootstrap.servers": f"127.0.0.1:{port}", "subscribe": "t", "fetchOffset.numRetries": "1"}
    with pytest.raises(SourceError, match=f"Cannot reach the cluster. 127.0.0.1:{port}: connection refused."):
        BatchReader(options | {"kafka.default.api.timeout.ms": "1"}).partitions()


def test_a_topic_that_is_missing_is_told(broker: RunningBroker) -> None:
    with pytest.raises(SourceError, match=r"Topic 'not-there' does not exist on this cluster."):
        reader(broker, "not-there").partitions()


def test_offsets_must_be_given_for_all_partitions(broker: RunningBroker, topic: Topics) -> None:
    name = topic(partitions=2)
    with pytest.raises(ValueError, match=f"it has {name}-0, and read are {name}-0, {name}-1"):
        reader(broker, name, startingOffsets=f'{{"{name}":{{"0":1}}}}').partitions()
