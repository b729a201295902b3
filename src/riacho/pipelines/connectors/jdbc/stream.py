"""Tables as a streaming source of Spark: each micro-batch is a part of one table, its columns settled when planned.

An offset names all tables that were read, with how far; the one that differs between start and end is the batch's. It
holds the columns as well, so that a batch that is read again has the same ones, whatever was added since.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit, ReadMaxRows, SupportsTriggerAvailableNow

from riacho.pipelines.connectors.jdbc.chunks import chunk_schema, packed
from riacho.pipelines.connectors.jdbc.database import Database
from riacho.pipelines.connectors.jdbc.range import BULK, Position, end_statement, rows_statement
from riacho.pipelines.connectors.jdbc.relations import JdbcSettings, Relation, relations
from riacho.pipelines.connectors.jdbc.types import columns_from_text, columns_to_text
from riacho.pipelines.plugin import ConnectError

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

FORMAT = "riacho_jdbc"
# Spark hides options whose names have this word from its plans and pages.
SETTINGS = "secret.settings"
START = "start"
SNAPSHOT = "snapshot"
_COLUMNS = "columns"
# Rows in one Arrow chunk.
_CHUNK = 2_000


class JdbcDataSource(DataSource):
    @classmethod
    def name(cls) -> str:
        return FORMAT

    def schema(self) -> StructType:
        return chunk_schema()

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        settings = JdbcSettings(**json.loads(self.options[SETTINGS]))
        return JdbcStreamReader(settings, json.loads(self.options.get(START, "{}")))


class TablePart(InputPartition):
    """Keys in (start, end] of one table."""

    def __init__(self, table: str, start: Position, end: Position) -> None:
        self.table = table
        self.start = start
        self.end = end


class JdbcStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    def __init__(self, settings: JdbcSettings, start: dict[str, Any]) -> None:
        self.settings = settings
        self._start = start
        self._polled_at: dict[str, float] = {}
        # With Trigger.AvailableNow: how far each table goes, and no waiting between polls.
        self._targets: dict[str, Position] | None = None

    def initialOffset(self) -> dict[str, Any]:
        return self._start

    def getDefaultReadLimit(self) -> ReadLimit:
        return ReadMaxRows(self.settings.batch_max_rows)

    def prepareForTriggerAvailableNow(self) -> None:
        self._targets = {}

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        """The first table that has something new, and was not looked at for the longest time, goes on."""
        rows_max = limit.max_rows if isinstance(limit, ReadMaxRows) else None
        now = time.monotonic()
        if self._targets is None and self._is_early(now):
            return start
        with self.settings.reached() as (database, connection):
            known = relations(self.settings, database, connection)
            for relation in sorted(known, key=lambda each: self._polled_at.get(each.name, 0.0)):
                if self._targets is None and now - self._polled_at.get(relation.name, -1e9) < self.settings.poll_s:
                    break
                end = self._next(database, connection, relation, start.get(relation.name, {}), rows_max)
                if end is None:
                    self._polled_at[relation.name] = now
                    continue
                # A table that filled its batch may have more, and waits for its next turn only.
                is_done = relation.order.mode == BULK
                self._polled_at[relation.name] = now if is_done else now - self.settings.poll_s
                return {**start, relation.name: end}
        return start

    def _is_early(self, now: float) -> bool:
        return bool(self._polled_at) and now - min(self._polled_at.values()) < self.settings.poll_s

    def _next(
        self, database: Database, connection: Any, relation: Relation, start: Position, rows_max: int | None
    ) -> Position | None:
        columns = database.describe(connection, relation.text, self.settings.numeric_mapping)
        if not columns:
            return None
        shape = {_COLUMNS: columns_to_text(columns)}
        if relation.order.mode == BULK:
            return self._next_snapshot(relation.name, start, shape)
        if self._targets is not None and relation.name not in self._targets:
            self._targets[relation.name] = self._end(database, connection, relation, start, None) or {}
        if self._targets is not None and _is_past(start, self._targets[relation.name]):
            return None
        end = self._end(database, connection, relation, start, rows_max)
        return None if end is None else {**end, **shape}

    def _next_snapshot(self, name: str, start: Position, shape: Position) -> Position | None:
        if self._targets is not None and self._targets.setdefault(name, {}) == {SNAPSHOT: True}:
            return None
        if self._targets is not None:
            self._targets[name] = {SNAPSHOT: True}
        return {SNAPSHOT: start.get(SNAPSHOT, 0) + 1, **shape}

    def _end(
        self, database: Database, connection: Any, relation: Relation, start: Position, rows_max: int | None
    ) -> Position | None:
        statement, parameters = end_statement(database, relation.order, relation.text, start, rows_max)
        row = connection.execute(statement, tuple(parameters)).fetchone()
        if row is None:
            return None
        names = [name for name, _ in relation.order.keys(database)]
        return {name: value if isinstance(value, int) else str(value) for name, value in zip(names, row, strict=True)}

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        return [TablePart(name, start.get(name, {}), end[name]) for name in end if end[name] != start.get(name)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, TablePart)
        relation = self.settings.relation(partition.table)
        columns = columns_from_text(partition.end[_COLUMNS])
        zone = ZoneInfo(self.settings.zone)
        with self.settings.reached() as (database, connection):
            present = [each.name for each in database.describe(connection, relation.text, "none")]
            if not present:
                raise ConnectError(f"The table {partition.table} of {database.url.shown} is not there any more")
            statement, parameters = rows_statement(
                database, relation.order, relation.text, columns, present, partition.start, partition.end
            )
            for rows in database.rows(connection, statement, parameters, _CHUNK):
                yield packed(relation.topic, columns, rows, zone)


def _is_past(start: Position, target: Mapping[str, Any]) -> bool:
    """Rows may have come meanwhile, so a batch can end beyond the target. Offsets are numbers or ISO text."""
    known = all(start.get(name) is not None for name in target)
    return not target or (known and [start[name] for name in target] >= list(target.values()))
