"""Pull queries: the rows of a table as they are now, or of a stream from its beginning to its end.

Rows are found by key where the condition names keys, else by looking at all of them. What is asked of a row beyond its
columns and plain comparisons is evaluated by Spark over the rows that were found: there is one library of functions.

A pull query sees what was in the table's topic when it came: it waits until the store has reached the topic's ends.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import msgspec

from riacho.pipelines.sql.analysis.outcomes import PullOutcome, WindowBounds
from riacho.pipelines.sql.catalogue.sources import Column, DataSource, LogicalSchema
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.registry_access import RegistryAccess
from riacho.pipelines.sql.plan.planner import decode
from riacho.pipelines.sql.records.record_decoder import RecordDecoder
from riacho.pipelines.sql.serving.conditions import NotPlain, condition_of
from riacho.pipelines.sql.serving.follower import Follower
from riacho.pipelines.sql.serving.push import column_types
from riacho.pipelines.sql.serving.row_values import shown, shown_by
from riacho.pipelines.sql.serving.served_row import ServedRow
from riacho.pipelines.sql.serving.table_store import NO_WINDOW, StoreError, TableStore
from riacho.pipelines.sql.serving.tail import Tail, TailError, served_row
from riacho.pipelines.sql.syntax.expressions import Column as ColumnReference
from riacho.pipelines.sql.syntax.statements import Kind, Ordering
from riacho.pipelines.sql.types import Field

# Rows that are taken from the store at a time, and that Spark is given at once.
_CHUNK = 5_000
# A scan holds so many at most, where it has to order them.
_ORDERED_MAX = 1_000_000
_decode = msgspec.json.Decoder(dict).decode

Evaluate = Callable[[DataSource, Sequence[ServedRow], PullOutcome], Awaitable[list[list[Any] | None]]]


class NotCaughtUp(KsqlError):
    code: ClassVar[int] = 50300


@dataclass(slots=True)
class PullQuery:
    schema: LogicalSchema
    rows: AsyncIterator[list[list[Any]]]


@dataclass(slots=True)
class PullQueries:
    store: TableStore
    follower: Follower
    ends: Callable[[str, int], Mapping[int, int]]
    """Where a topic ends; asked in a thread."""
    client: Mapping[str, Any]
    registry: RegistryAccess | None
    evaluate: Evaluate
    """Select list and condition by Spark: of each row its values, or None where the condition does not hold."""
    catchup_timeout_s: float

    async def start(self, outcome: PullOutcome) -> PullQuery:
        """The first rows are there when it returns, so that what goes wrong can still be told by a status. KsqlError."""
        schema = LogicalSchema(tuple(Column(each.name, each.type) for each in outcome.select))
        rows = self._limited(outcome)
        first = await anext(rows, None)
        return PullQuery(schema, _from_first(first, rows))

    async def _limited(self, outcome: PullOutcome) -> AsyncIterator[list[list[Any]]]:
        left = outcome.limit
        async for rows in self._ordered(outcome):
            kept = rows if left is None else rows[:left]
            if kept:
                yield kept
            if left is not None:
                left -= len(kept)
                if left <= 0:
                    return

    async def _ordered(self, outcome: PullOutcome) -> AsyncIterator[list[list[Any]]]:
        selected = self._selected(outcome)
        if not outcome.order_by:
            async for found in self._found(outcome):
                yield await selected(found)
            return
        rows: list[ServedRow] = []
        async for found in self._found(outcome):
            rows.extend(found)
            if len(rows) > _ORDERED_MAX:
                raise KsqlError(f"ORDER BY is done for {_ORDERED_MAX} rows, and there are more: add a condition.")
        for ordering in reversed(outcome.order_by):
            rows.sort(key=_sort_key(ordering, outcome.source), reverse=ordering.is_descending)
        for begin in range(0, len(rows), _CHUNK):
            yield await selected(rows[begin : begin + _CHUNK])

    def _selected(self, outcome: PullOutcome) -> Callable[[list[ServedRow]], Awaitable[list[list[Any]]]]:
        """From rows to values: here where that is plain, else by Spark."""
        names = [each.expression.name for each in outcome.select if isinstance(each.expression, ColumnReference)]
        shows = [shown_by(each.type) for each in outcome.select]
        try:
            condition = condition_of(outcome.where, column_types(outcome.source))
        except NotPlain:
            condition = None
        if condition is not None and len(names) == len(outcome.select):
            holds = condition

            async def plain(rows: list[ServedRow]) -> list[list[Any]]:
                return [shown(shows, [row.column(name) for name in names]) for row in rows if holds(row)]

            return plain

        async def by_spark(rows: list[ServedRow]) -> list[list[Any]]:
            values = await self.evaluate(outcome.source, rows, outcome) if rows else []
            return [shown(shows, each) for each in values if each is not None]

        return by_spark

    def _found(self, outcome: PullOutcome) -> AsyncIterator[list[ServedRow]]:
        if outcome.source.kind is Kind.STREAM:
            return self._stream(outcome.source)
        return self._table(outcome)

    async def _stream(self, source: DataSource) -> AsyncIterator[list[ServedRow]]:
        ends = await asyncio.to_thread(self.ends, source.topic, source.partitions)
        decoder = RecordDecoder(decode(source, {}), self.registry)
        take = partial(served_row, decoder)
        tail = Tail(self.client, source.topic, source.partitions, take, from_beginning=True, ends=ends)
        try:
            async for rows in tail.rows():
                yield [row for row in rows if row.value is not None]
        except TailError as error:
            raise KsqlError(str(error)) from None
        finally:
            await tail.close()

    async def _table(self, outcome: PullOutcome) -> AsyncIterator[list[ServedRow]]:
        source = outcome.source
        table = self.follower.table(source.name)
        if table is None:
            raise NotCaughtUp(f"The table {source.name} is not served yet; try again.")
        await asyncio.to_thread(self._catch_up, source)
        sql, parameters = _lookup(table.table_id, outcome)
        last: tuple[Any, ...] | None = None
        while True:
            page, more = _page(sql, parameters, last)
            try:
                found = await asyncio.to_thread(self.store.read, page, more)
            except StoreError as error:
                raise KsqlError(str(error)) from None
            if found:
                yield [_row(each, source) for each in found]
            if len(found) < _CHUNK:
                return
            last = found[-1][:3]

    def _catch_up(self, source: DataSource) -> None:
        ends = self.ends(source.topic, source.partitions)
        deadline = time.monotonic() + self.catchup_timeout_s
        if not self.follower.wait_for(source.name, ends, max(0.0, deadline - time.monotonic())):
            table = self.follower.table(source.name)
            reason = f" ({table.problem})" if table is not None and table.problem else ""
            raise NotCaughtUp(f"The rows of {source.name} are behind its topic{reason}; try again.")


async def _from_first(
    first: list[list[Any]] | None, rows: AsyncIterator[list[list[Any]]]
) -> AsyncIterator[list[list[Any]]]:
    if first is not None:
        yield first
        async for more in rows:
            yield more


def _lookup(table_id: int, outcome: PullOutcome) -> tuple[str, list[Any]]:
    """Rows by keys and window bounds, all parameters bound."""
    parts: list[str] = []
    parameters: list[Any] = []
    if outcome.keys is not None:
        parts.append("key IN (SELECT value FROM json_each(?))")
        parameters.append(msgspec.json.encode([_key_text(key, outcome.source) for key in outcome.keys]).decode())
    for column, low, high in _bounds(outcome.bounds):
        if low is not None:
            parts.append(f"{column} >= ?")
            parameters.append(low)
        if high is not None:
            parts.append(f"{column} <= ?")
            parameters.append(high)
    where = f" WHERE {' AND '.join(parts)}" if parts else ""
    return f"SELECT key, ws, we, row, ts, part, off FROM rows_{table_id:d}{where}", parameters


def _page(sql: str, parameters: list[Any], last: tuple[Any, ...] | None) -> tuple[str, list[Any]]:
    """The next rows in the order of their keys: a long scan is no long transaction."""
    if last is None:
        return f"{sql} ORDER BY key, ws, we LIMIT {_CHUNK}", parameters
    word = "AND" if " WHERE " in sql else "WHERE"
    return f"{sql} {word} (key, ws, we) > (?, ?, ?) ORDER BY key, ws, we LIMIT {_CHUNK}", [*parameters, *last]


def _bounds(bounds: WindowBounds) -> list[tuple[str, int | None, int | None]]:
    return [("ws", bounds.start_min, bounds.start_max), ("we", bounds.end_min, bounds.end_max)]


def _key_text(key: Mapping[str, Any], source: DataSource) -> str:
    """As the follower writes it: the key columns in their order."""
    return msgspec.json.encode({column.name: key.get(column.name) for column in source.schema.key}).decode()


def _row(found: tuple[Any, ...], source: DataSource) -> ServedRow:
    key, start, end, row, timestamp_ms, partition, offset = found
    is_windowed = start != NO_WINDOW
    return ServedRow(
        _decode(key),
        _decode(row),
        timestamp_ms,
        partition,
        offset,
        start if is_windowed else None,
        end if is_windowed else None,
    )


def _sort_key(ordering: Ordering, source: DataSource) -> Callable[[ServedRow], Any]:
    expression = ordering.expression
    if not isinstance(expression, ColumnReference):
        raise KsqlError("ORDER BY takes columns of the table.")
    name = expression.name
    kind = column_types(source).get(name)
    if kind is None:
        raise KsqlError(f"ORDER BY names {name}, which is no column of {source.name}.")
    as_number = str(kind).startswith("DECIMAL")

    def key(row: ServedRow) -> tuple[bool, Any]:
        value = row.column(name)
        return value is not None, 0 if value is None else float(value) if as_number else value

    return key


def evaluation_fields(source: DataSource) -> list[Field]:
    """The columns of the struct that Spark evaluates over: the source's, and the pseudo-columns."""
    return [Field(name, kind) for name, kind in column_types(source).items()]
