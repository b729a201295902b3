"""Which records a JDBC sink has inserted: ranges of offsets, kept in the database itself.

Inserts are not idempotent, so each task writes, in the transaction of its rows, which offsets of which topic
partitions they were. A micro-batch that is done again looks first, and leaves out what is there, however its rows are
divided among tasks this time. Only the batch at hand can come again, so rows of earlier ones are removed. The query's
id is part of it: a connector whose offsets were reset begins a new query, and may write all of it once more.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from riacho.pipelines.connectors.jdbc.database import Database

TABLE = "riacho_sink_markers"
_COLUMNS = ("connector", "query_id", "batch_id", "topic", "topic_partition", "first_offset", "last_offset")
_CREATE = (
    "(connector VARCHAR(255) NOT NULL, query_id VARCHAR(64) NOT NULL, batch_id BIGINT NOT NULL, "
    "topic VARCHAR(255) NOT NULL, topic_partition INT NOT NULL, first_offset BIGINT NOT NULL, "
    "last_offset BIGINT NOT NULL, "
    "PRIMARY KEY (connector, query_id, batch_id, topic, topic_partition, first_offset))"
)


@dataclass(frozen=True, slots=True)
class BatchMark:
    connector: str
    query_id: str
    batch_id: int


@dataclass(slots=True)
class OffsetRanges:
    """Closed ranges of offsets by topic partition. Offsets are added in the order of their partition."""

    _ranges: dict[tuple[str, int], list[list[int]]] = field(default_factory=dict)
    _is_open: dict[tuple[str, int], bool] = field(default_factory=dict)

    def add(self, topic: str, partition: int, offset: int) -> None:
        """Offsets between two that were added in a row hold no record of this task, so they may be covered."""
        place = (topic, partition)
        ranges = self._ranges.setdefault(place, [])
        if ranges and self._is_open.get(place):
            ranges[-1][1] = offset
        else:
            ranges.append([offset, offset])
            self._is_open[place] = True

    def leave_out(self, topic: str, partition: int) -> None:
        """A record that is not written lies here: the range ends before it."""
        self._is_open[(topic, partition)] = False

    def add_range(self, topic: str, partition: int, first: int, last: int) -> None:
        self._ranges.setdefault((topic, partition), []).append([first, last])

    def covers(self, topic: str, partition: int, offset: int) -> bool:
        ranges = self._ranges.get((topic, partition), ())
        index = bisect_right(ranges, offset, key=lambda each: each[0]) - 1
        return index >= 0 and ranges[index][1] >= offset

    def __iter__(self) -> Iterator[tuple[str, int, int, int]]:
        for (topic, partition), ranges in self._ranges.items():
            for first, last in ranges:
                yield topic, partition, first, last


def create_markers(database: Database, connection: Any) -> None:
    connection.execute(f"CREATE TABLE IF NOT EXISTS {database.table(TABLE)} {_CREATE}")


def forget_earlier(database: Database, connection: Any, connector: str, batch_id: int) -> None:
    at = database.parameter
    connection.execute(
        f"DELETE FROM {database.table(TABLE)} WHERE connector = {at} AND batch_id <> {at}", (connector, batch_id)
    )


def written(database: Database, connection: Any, mark: BatchMark) -> OffsetRanges:
    at = database.parameter
    found = connection.execute(
        f"SELECT topic, topic_partition, first_offset, last_offset FROM {database.table(TABLE)} "
        f"WHERE connector = {at} AND query_id = {at} AND batch_id = {at} ORDER BY 1, 2, 3",
        (mark.connector, mark.query_id, mark.batch_id),
    )
    ranges = OffsetRanges()
    for row in found.fetchall():
        ranges.add_range(*row)
    return ranges


def write_markers(database: Database, connection: Any, mark: BatchMark, ranges: OffsetRanges) -> None:
    rows = [(mark.connector, mark.query_id, mark.batch_id, *each) for each in ranges]
    if rows:
        connection.cursor().executemany(database.insert(TABLE, _COLUMNS), rows)
