"""What the planner of a stream decides: limits, waiting, new and lost partitions. Brokers are a table here."""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from typing import Any, cast

import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxRows, ReadMinRows

from riacho.client.offsets import TopicPartition
from riacho.pipelines.source.fetcher import LossError
from riacho.pipelines.source.offset_reader import OffsetReader
from riacho.pipelines.source.positions import Offsets
from riacho.pipelines.source.splits import OffsetRange, Split
from riacho.pipelines.source.stream_reader import StreamReader

BASE = {"kafka.bootstrap.servers": "127.0.0.1:9092", "subscribe": "t"}


class Table:
    """Partitions of topic t, each from its earliest to its latest offset."""

    def __init__(self, *partitions: tuple[int, int]) -> None:
        self.partitions: dict[int, tuple[int, int]] = dict(enumerate(partitions))

    def starting(self) -> Offsets:
        return {("t", index): earliest for index, (earliest, _) in self.partitions.items()}

    def latest(self) -> Offsets:
        return {("t", index): latest for index, (_, latest) in self.partitions.items()}

    def earliest(self, wanted: Iterable[TopicPartition]) -> Offsets:
        return {("t", index): self.partitions[index][0] for _, index in wanted}

    def close(self) -> None:
        self.partitions.clear()


class LatestTable(Table):
    """A query begins at the ends of the partitions."""

    def starting(self) -> Offsets:
        return self.latest()


class Clock:
    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def planner(table: Table, clock: Clock | None = None, **options: str) -> StreamReader:
    reader = StreamReader(BASE | options, clock or Clock())
    reader._offsets = cast(OffsetReader, table)
    return reader


def offsets(*numbers: int) -> dict[str, dict[str, int]]:
    return {"t": {str(index): offset for index, offset in enumerate(numbers)}}


def split_ranges(splits: list[Any]) -> list[OffsetRange]:
    return [cast(Split, one).range for one in splits]


def test_without_limits_all_that_is_there_is_read() -> None:
    reader = planner(Table((0, 10), (3, 8)), startingOffsets="earliest")
    assert reader.initialOffset() == offsets(0, 3)
    assert reader.getDefaultReadLimit() == ReadAllAvailable()
    assert reader.latestOffset(offsets(0, 3), ReadAllAvailable()) == offsets(10, 8)
    assert reader.reportLatestOffset() == offsets(10, 8)


def test_the_first_offsets_stay_though_the_topic_moves_on() -> None:
    """Spark asks for them twice; with startingOffsets=latest the second answer could lie past the first batch's end."""
    table = Table((5, 5))
    reader = planner(table)
    first = reader.initialOffset()
    table.partitions[0] = (6, 9)
    assert reader.initialOffset() == first


def test_latest_is_kept_as_the_end_of_an_empty_first_batch() -> None:
    """Spark asks where to begin again when the first batch is repeated after a crash; nothing may be missed by it."""
    table = LatestTable((5, 9))
    reader = planner(table, startingOffsets="latest")
    first = reader.initialOffset()
    table.partitions[0] = (5, 12)
    assert reader.latestOffset(first, ReadAllAvailable()) == first == offsets(9)
    assert reader.partitions(first, first) == []
    assert reader.latestOffset(first, ReadAllAvailable()) == offsets(12)
    assert split_ranges(reader.partitions(first, offsets(12))) == [OffsetRange("t", 0, 9, 12)]

    table.partitions[1] = (0, 3)  # while nothing ran
    again = planner(table, startingOffsets="latest")
    later = again.initialOffset()
    assert later == offsets(12, 3)
    assert again.partitions(later, first) == []
    assert again.latestOffset(first, ReadAllAvailable()) == offsets(12, 3)
    assert split_ranges(again.partitions(first, offsets(12, 3))) == [
        OffsetRange("t", 0, 9, 12),
        OffsetRange("t", 1, 0, 3),
    ]


@pytest.mark.parametrize("starting", ["earliest", '{"t":{"0":7}}'])
def test_a_beginning_that_stands_needs_no_empty_batch(starting: str) -> None:
    reader = planner(Table((5, 9)), startingOffsets=starting)
    first = reader.initialOffset()
    assert reader.latestOffset(first, ReadAllAvailable()) == offsets(9)
    assert split_ranges(reader.partitions(first, offsets(9))) == [OffsetRange("t", 0, 5, 9)]


def test_a_maximum_counts_a_new_partition_from_where_it_begins() -> None:
    reader = planner(Table((0, 100), (50, 150)), maxOffsetsPerTrigger="20")
    assert reader.getDefaultReadLimit() == ReadMaxRows(20)
    assert reader.latestOffset(offsets(0), ReadMaxRows(20)) == offsets(10, 60)
    assert reader.latestOffset(offsets(0), ReadAllAvailable()) == offsets(100, 150), "the engine's word has precedence"


def test_too_little_waits_until_it_is_enough_or_the_delay_is_over() -> None:
    table, clock = Table((0, 5)), Clock()
    reader = planner(table, clock, minOffsetsPerTrigger="10", maxTriggerDelay="30s")
    limit = reader.getDefaultReadLimit()
    assert limit == ReadMinRows(10)
    assert reader.latestOffset(offsets(0), limit) == offsets(5), "the first batch does not wait"
    table.partitions[0] = (0, 8)
    assert reader.latestOffset(offsets(5), limit) == offsets(5)
    table.partitions[0] = (0, 15)
    assert reader.latestOffset(offsets(5), limit) == offsets(15)
    table.partitions[0] = (0, 16)
    clock.now_s += 31
    assert reader.latestOffset(offsets(15), limit) == offsets(16)


def test_a_minimum_and_a_maximum_go_together() -> None:
    table = Table((0, 100))
    reader = planner(table, minOffsetsPerTrigger="10", maxOffsetsPerTrigger="40")
    limit = reader.getDefaultReadLimit()
    assert reader.latestOffset(offsets(0), limit) == offsets(40)
    assert reader.latestOffset(offsets(95), limit) == offsets(95)


def test_available_now_reads_what_was_there_at_its_start_and_does_not_wait() -> None:
    table = Table((0, 10))
    reader = planner(table, minOffsetsPerTrigger="100")
    reader.prepareForTriggerAvailableNow()
    table.partitions[0] = (0, 500)
    limit = reader.getDefaultReadLimit()
    assert reader.latestOffset(offsets(0), limit) == offsets(10)
    assert reader.latestOffset(offsets(10), limit) == offsets(10)


def test_tasks_follow_from_the_offsets_alone() -> None:
    reader = planner(Table(), minPartitions="3")
    expected = [OffsetRange("t", 0, 0, 5), OffsetRange("t", 0, 5, 10), OffsetRange("t", 1, 0, 5)]
    for _ in range(2):
        assert split_ranges(reader.partitions(offsets(0), offsets(10, 5))) == expected
    assert reader.partitions(offsets(10), offsets(10)) == []


def test_partitions_that_are_gone_or_shorter_are_a_loss() -> None:
    strict, careless = planner(Table()), planner(Table(), failOnDataLoss="false")
    with pytest.raises(LossError, match="Partitions t-1 are gone"):
        strict.partitions(offsets(0, 5), offsets(9))
    with pytest.raises(LossError, match="Partition t-0 ends at offset 3 but was read up to 7"):
        strict.partitions(offsets(7), offsets(3))
    assert split_ranges(careless.partitions(offsets(0, 5), offsets(9))) == [OffsetRange("t", 0, 0, 9)]
    assert careless.partitions(offsets(7), offsets(3)) == []


def test_a_reader_that_has_planned_nothing_travels_by_pickle() -> None:
    reader = pickle.loads(pickle.dumps(StreamReader(BASE)))
    assert reader.options.subscription.topics == ("t",)
