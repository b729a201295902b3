"""One look at a micro-batch before any of it is delivered: how many records, how many bad, which topics.

It is the job that fills the cache which the delivery then reads, so it costs little more than the delivery alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from riacho.pipelines import records
from riacho.pipelines.plugin import ConnectError

# Log lines a batch gives at most: a poisoned topic must not drown the log.
LOG_LINES_MAX = 100


class BadRecord(ConnectError):
    """A record that stops a connector which tolerates none."""


@dataclass(frozen=True, slots=True)
class BatchStatistics:
    rows: int
    bad: int
    topics: Sequence[str]


def batch_statistics(batch: DataFrame) -> BatchStatistics:
    found = batch.agg(
        F.count(F.lit(1)).alias("rows"),
        F.count(F.col(records.ERROR)).alias("bad"),
        F.collect_set(F.col(records.TOPIC)).alias("topics"),
    ).first()
    assert found is not None, "an aggregate has one row"
    return BatchStatistics(found["rows"], found["bad"], sorted(found["topics"]))


@dataclass(frozen=True, slots=True)
class Bad:
    """Which record, and what was wrong with it."""

    topic: str | None
    partition: int | None
    offset: int | None
    timestamp: datetime | None
    stage: str
    class_name: str
    exception: str
    message: str

    @property
    def sentence(self) -> str:
        where = f"of topic {self.topic}" if self.topic else "of the source"
        if self.offset is not None:
            where = f"at {self.topic}-{self.partition} offset {self.offset}"
        message = " ".join(self.message.split()).rstrip(".")
        return f"The record {where} failed in {self.stage} with {self.class_name}: {message}."

    def log_line(self, connector: str, with_record: bool) -> str:
        line = (
            f"Error encountered in task {connector}-0. Executing stage '{self.stage}' with class '{self.class_name}'"
            f": {self.exception}: {self.message}"
        )
        if not with_record:
            return line
        stamp = None if self.timestamp is None else int(self.timestamp.timestamp() * 1000)
        return (
            f"{line}, where consumed record is {{topic='{self.topic}', partition={self.partition}, "
            f"offset={self.offset}, timestamp={stamp}}}"
        )


def bad_records(batch: DataFrame, count_max: int) -> list[Bad]:
    """The first bad ones, by topic, partition and offset."""
    error = F.col(records.ERROR)
    topic = records.came_from(batch)
    rows = (
        batch.where(error.isNotNull())
        .select(topic, records.PARTITION, records.OFFSET, records.TIMESTAMP, f"{records.ERROR}.*")
        .orderBy(topic, records.PARTITION, records.OFFSET)
        .limit(count_max)
        .collect()
    )
    return [Bad(row[0], row[1], row[2], row[3], row[4] or "", row[5] or "", row[6] or "", row[7] or "") for row in rows]
