"""Pull queries: the rows of a table as they are now, or of a stream from its beginning to its end.

Rows are found by key where the condition names keys, else by looking at all of them. What is asked of a row beyond its
columns and plain comparisons is evaluated by Spark over the rows that were found: there is one library of functions.

A pull query sees what was in the table's topic when it came: it waits until the store has reached the topic's ends.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

from riacho.pipelines.sql.analysis.outcomes import PullOutcome
from riacho.pipelines.sql.catalogue.sources import Column, DataSource, LogicalSchema
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.registry_access import RegistryAccess
from riacho.pipelines.sql.plan.planner import decode
from riacho.pipelines.sql.records.record_decoder import RecordDecoder
from riacho.pipelines.sql.serving.conditions import HasColumns
from riacho.pipelines.sql.serving.follower import Follower
from riacho.pipelines.sql.serving.lookup import PAGE_ROWS, lookup, page, row_of
from riacho.pipelines.sql.serving.ordering import Order
from riacho.pipelines.sql.serving.projection import Evaluate, Projection
from riacho.pipelines.sql.serving.pulled_groups import PulledGroups
from riacho.pipelines.sql.serving.push import column_types
from riacho.pipelines.sql.serving.row_values import shown, shown_by
from riacho.pipelines.sql.serving.served_row import ServedRow
from riacho.pipelines.sql.serving.table_store import StoreError, TableStore
from riacho.pipelines.sql.serving.tail import Tail, TailError, served_row
from riacho.pipelines.sql.serving.topic_ends import Ends, TopicEnds
from riacho.pipelines.sql.syntax.statements import Kind

# Rows that are held at most, where they have to be ordered.
_ORDERED_MAX = 200_000
# Pull queries that wait for a table or read it at a time; others wait for their turn, and for nobody else.
_AT_A_TIME = 32
# Topics whose ends are asked for at a time.
_ASKED_AT_A_TIME = 4


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
    catchup_timeout_s: float
    _threads: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(_AT_A_TIME, "ksql-pull"))
    # Of their own: those who wait for a table may have all of the others.
    _asking: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(_ASKED_AT_A_TIME, "ksql-ends"))
    _ends: TopicEnds = field(init=False)

    def __post_init__(self) -> None:
        self._ends = TopicEnds(self._ask_ends)

    async def start(self, outcome: PullOutcome) -> PullQuery:
        """The first rows are there when it returns, so that a status can tell what goes wrong. KsqlError."""
        schema = LogicalSchema(tuple(Column(each.name, each.type) for each in outcome.select))
        rows = self._limited(outcome)
        first = await anext(rows, None)
        return PullQuery(schema, _from_first(first, rows))

    def close(self) -> None:
        for threads in (self._threads, self._asking):
            threads.shutdown(wait=False, cancel_futures=True)

    async def _limited(self, outcome: PullOutcome) -> AsyncIterator[list[list[Any]]]:
        left = outcome.limit
        shows = [shown_by(each.type) for each in outcome.select]
        async for rows in self._ordered(outcome):
            kept = rows if left is None else rows[:left]
            if kept:
                yield [shown(shows, row) for row in kept]
            if left is not None:
                left -= len(kept)
                if left <= 0:
                    return

    async def _ordered(self, outcome: PullOutcome) -> AsyncIterator[list[list[Any]]]:
        found: AsyncIterator[Sequence[HasColumns]] = self._found(outcome)
        types = column_types(outcome.source)
        where = outcome.where
        if outcome.aggregation is not None:
            groups = PulledGroups(outcome, types, self.evaluate)
            found, types, where = _paged(await groups.rows(found)), groups.group_types, outcome.aggregation.having
        order = Order(outcome.order_by, outcome.select, types)
        projection = Projection(types, order.select, where, self.evaluate)
        if not outcome.order_by:
            async for rows in found:
                yield await projection.values(rows)
            return
        held: list[list[Any]] = []
        async for rows in found:
            held.extend(await projection.values(rows))
            if len(held) > _ORDERED_MAX:
                raise KsqlError(f"ORDER BY is done for {_ORDERED_MAX} rows, and there are more: add a condition.")
        ordered = await asyncio.to_thread(order.ordered, held)
        for begin in range(0, len(ordered), PAGE_ROWS):
            yield ordered[begin : begin + PAGE_ROWS]

    def _found(self, outcome: PullOutcome) -> AsyncIterator[list[ServedRow]]:
        if outcome.source.kind is Kind.STREAM:
            return self._stream(outcome.source)
        return self._table(outcome)

    async def _stream(self, source: DataSource) -> AsyncIterator[list[ServedRow]]:
        ends = await self._ends.of(source.topic, source.partitions)
        decoder = RecordDecoder(decode(source, {}), self.registry)
        take = partial(served_row, decoder, source.schema.headers)
        tail = Tail(self.client, source.topic, source.partitions, take, starts=None, ends=ends)
        try:
            async for rows in tail.rows():
                yield [row for row in rows if row.value is not None]
        except TailError as error:
            raise KsqlError(str(error)) from None
        finally:
            await tail.close()

    async def _table(self, outcome: PullOutcome) -> AsyncIterator[list[ServedRow]]:
        ends = await self._ends.of(outcome.source.topic, outcome.source.partitions)
        sql, parameters, found = await self._in_thread(self._first_page, outcome, ends)
        while True:
            if found:
                yield [row_of(each) for each in found]
            if len(found) < PAGE_ROWS:
                return
            found = await self._in_thread(self._page, sql, parameters, found[-1][:3])

    def _first_page(self, outcome: PullOutcome, ends: Ends) -> tuple[str, list[Any], list[tuple[Any, ...]]]:
        """Once the table has what its topic had when it was asked for; and how to go on."""
        name = outcome.source.name
        if not self.follower.wait_for(name, ends, self.catchup_timeout_s):
            problem = self.follower.problem(name)
            reason = f" ({problem.rstrip('.')})" if problem else ""
            raise NotCaughtUp(f"The rows of {name} are behind its topic{reason}; try again.")
        table = self.follower.table(name)
        if table is None:
            raise NotCaughtUp(f"The table {name} is not served yet; try again.")
        sql, parameters = lookup(table.table_id, outcome)
        return sql, parameters, self._page(sql, parameters, None)

    def _page(self, sql: str, parameters: list[Any], last: tuple[Any, ...] | None) -> list[tuple[Any, ...]]:
        try:
            return self.store.read(*page(sql, parameters, last))
        except StoreError as error:
            raise KsqlError(str(error)) from None

    async def _ask_ends(self, topic: str, partitions: int) -> Ends:
        return await asyncio.get_running_loop().run_in_executor(self._asking, self.ends, topic, partitions)

    async def _in_thread(self, call: Callable[..., Any], *arguments: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._threads, call, *arguments)


async def _paged(rows: Sequence[HasColumns]) -> AsyncIterator[Sequence[HasColumns]]:
    """With a moment for others between."""
    for begin in range(0, len(rows), PAGE_ROWS):
        await asyncio.sleep(0)
        yield rows[begin : begin + PAGE_ROWS]


async def _from_first(
    first: list[list[Any]] | None, rows: AsyncIterator[list[list[Any]]]
) -> AsyncIterator[list[list[Any]]]:
    if first is not None:
        yield first
        async for more in rows:
            yield more
