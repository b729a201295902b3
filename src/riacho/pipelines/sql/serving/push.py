"""Push queries: rows as they come, until whoever asked goes away, closes it, or the limit is reached.

One that only names columns and compares them is served from the topic itself, here; the others run on Spark, and their
rows come over the runner's line. Rows wait in bounded queues: who reads the topic too slowly is fetched for slowly, and
who cannot keep up with the runner gets an error, and is closed. Whoever waits for rows of a query that was closed, or
whose runner died, gets one too. Rows of a table that were deleted come as tombstones, for those who can show them.
"""

from __future__ import annotations

import asyncio
import itertools
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec
from confluent_kafka import Message

from riacho.pipelines.sql.analysis.outcomes import PushOutcome
from riacho.pipelines.sql.catalogue.sources import DataSource, LogicalSchema
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.registry_access import RegistryAccess
from riacho.pipelines.sql.plan.plan_json import plan_to_json
from riacho.pipelines.sql.plan.planner import decode
from riacho.pipelines.sql.records.record_decoder import RecordDecoder
from riacho.pipelines.sql.runner.protocol import AnyCommand, Failed, Rows, StartPush, Stopped, StopQuery
from riacho.pipelines.sql.serving.conditions import Condition, NotPlain, condition_of
from riacho.pipelines.sql.serving.row_values import Show, shown, shown_by
from riacho.pipelines.sql.serving.served_row import ServedRow
from riacho.pipelines.sql.serving.table_changes import ChangedRow, TableChanges, Tombstone, only_rows
from riacho.pipelines.sql.serving.tail import Tail, TailError, served_row
from riacho.pipelines.sql.syntax.expressions import Column as ColumnReference
from riacho.pipelines.sql.syntax.statements import Kind
from riacho.pipelines.sql.types import BIGINT, INTEGER, SqlType

_ROWS_WAITING_MAX = 100
_GENERATION = 1
_decode = msgspec.json.Decoder(dict).decode
T = TypeVar("T")
_PSEUDO = {"ROWTIME": BIGINT, "ROWPARTITION": INTEGER, "ROWOFFSET": BIGINT, "WINDOWSTART": BIGINT, "WINDOWEND": BIGINT}


class TooManyPushQueries(KsqlError):
    code = 40003


class Spark(Protocol):
    """What starts queries that need more than the server can do itself."""

    async def send(self, command: AnyCommand) -> None: ...


@dataclass(slots=True)
class PushQuery:
    """`changes` or `rows`, one of them, may be iterated once: lists of values in the order of `schema`. Closed by
    `close`, from anywhere."""

    query_id: str
    schema: LogicalSchema
    limit: int | None
    _source: AsyncIterator[list[ChangedRow]]
    _on_close: Callable[[], Awaitable[None]]
    is_closed: bool = False
    is_limit_reached: bool = False

    def changes(self) -> AsyncIterator[list[ChangedRow]]:
        """Rows and tombstones, each of which counts for LIMIT. KsqlError where it fails."""
        return self._limited(self._source)

    def rows(self) -> AsyncIterator[list[list[Any]]]:
        """Without tombstones. KsqlError where it fails."""
        return self._limited(_only_rows(self._source))

    async def _limited(self, source: AsyncIterator[list[T]]) -> AsyncIterator[list[T]]:
        left = self.limit
        if left == 0:
            self.is_limit_reached = True
            return
        async for rows in source:
            if left is not None and len(rows) >= left:
                self.is_limit_reached = True
                yield rows[:left]
                return
            if left is not None:
                left -= len(rows)
            yield rows

    async def close(self) -> None:
        if not self.is_closed:
            self.is_closed = True
            await self._on_close()


@dataclass(slots=True)
class PushQueries:
    client: Mapping[str, Any]
    """Of librdkafka."""
    registry: RegistryAccess | None
    spark: Spark
    ends: Callable[[str, int], Mapping[int, int]]
    """Where a topic ends; asked in a thread."""
    scratch: Path
    queries_max: int
    trigger_ms: int
    """How often one that Spark runs looks for new records."""
    open: dict[str, PushQuery] = field(default_factory=dict)
    _spark_rows: dict[str, asyncio.Queue[Rows | Failed | Stopped]] = field(default_factory=dict)
    _numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    async def start(self, outcome: PushOutcome) -> PushQuery:
        """What is written after it has returned is in its rows. KsqlError where there are too many already."""
        self._check_room()
        starts: Mapping[int, int] | None = None
        if outcome.plan.reset != "earliest":
            starts = await asyncio.to_thread(self.ends, outcome.source.topic, outcome.source.partitions)
            self._check_room()
        query_id = f"transient_{outcome.source.name}_{next(self._numbers)}_{uuid.uuid4().hex[:8]}"
        condition = _plain_condition(outcome)
        if condition is not None:
            query = self._tailing(query_id, outcome, condition, starts)
        else:
            query = self._on_spark(query_id, outcome)
        self.open[query_id] = query
        return query

    def _check_room(self) -> None:
        if len(self.open) >= self.queries_max:
            raise TooManyPushQueries(
                f"Maximum number of push queries exceeded: {len(self.open)} run already, and {self.queries_max} may."
            )

    async def close(self, query_id: str) -> bool:
        """False where there is none of that id."""
        query = self.open.get(query_id)
        if query is None:
            return False
        await query.close()
        return True

    async def close_all(self) -> None:
        for query in list(self.open.values()):
            await query.close()

    # Rows of the runner

    def take(self, rows: Rows) -> None:
        waiting = self._spark_rows.get(rows.query_id)
        if waiting is None:
            return
        if waiting.full():
            # Nothing is left out silently; the runner's line is everybody's, and waits for nobody.
            sentence = "The rows of this query are not read as fast as they come; it was closed."
            _end(waiting, Failed(rows.query_id, rows.generation, sentence, sentence, True))
            del self._spark_rows[rows.query_id]
            return
        waiting.put_nowait(rows)

    def ended(self, end: Failed | Stopped) -> None:
        waiting = self._spark_rows.get(end.query_id)
        if waiting is not None and waiting.full():
            _end(waiting, end)
        elif waiting is not None:
            waiting.put_nowait(end)

    def runner_ended(self) -> None:
        sentence = "The runner ended, and the query with it; try again."
        for query_id, waiting in list(self._spark_rows.items()):
            _end(waiting, Failed(query_id, _GENERATION, sentence, sentence, False))

    @property
    def needs_spark(self) -> bool:
        return bool(self._spark_rows)

    def _tailing(
        self, query_id: str, outcome: PushOutcome, condition: Condition, starts: Mapping[int, int] | None
    ) -> PushQuery:
        source = outcome.source
        decoder = RecordDecoder(decode(source, {}, outcome.plan.reads[0].strict_time), self.registry)
        names = [column.name for column in outcome.columns if isinstance(column, ColumnReference)]
        keys = outcome.key_columns
        shows = [shown_by(column.type) for column in outcome.schema]
        changed = TableChanges(condition if outcome.where is not None else None).is_shown
        is_shown = changed if source.kind is Kind.TABLE else partial(_passes, condition)

        def change(message: Message) -> ChangedRow | None:
            """In the tail's thread: a condition may be long, and there may be many records."""
            row = served_row(decoder, source.schema.headers, message)
            if row is None:
                return None
            match is_shown(row):
                case True:
                    return shown(shows, [row.column(name) for name in names])
                case False:
                    values = [row.column(name) if key else None for name, key in zip(names, keys, strict=True)]
                    return Tombstone(shown(shows, values))
                case _:
                    return None

        tail: Tail[ChangedRow] = Tail(self.client, source.topic, source.partitions, change, starts=starts)

        async def rows() -> AsyncIterator[list[ChangedRow]]:
            try:
                async for found in tail.rows():
                    yield found
            except TailError as error:
                raise KsqlError(str(error)) from None

        async def close() -> None:
            self.open.pop(query_id, None)
            await tail.close()

        return PushQuery(query_id, outcome.schema, outcome.limit, rows(), close)

    def _on_spark(self, query_id: str, outcome: PushOutcome) -> PushQuery:
        waiting: asyncio.Queue[Rows | Failed | Stopped] = asyncio.Queue(_ROWS_WAITING_MAX)
        self._spark_rows[query_id] = waiting
        change = partial(_spark_change, outcome, [shown_by(column.type) for column in outcome.schema])
        start = StartPush(
            query_id=query_id,
            generation=_GENERATION,
            plan=msgspec.Raw(plan_to_json(outcome.plan)),
            checkpoint=str(self.scratch / query_id),
            partitions=outcome.source.partitions,
            trigger_ms=self.trigger_ms,
        )

        is_sent = False

        async def rows() -> AsyncIterator[list[ChangedRow]]:
            nonlocal is_sent
            is_sent = True
            await self.spark.send(start)
            while True:
                match await waiting.get():
                    case Rows(rows=texts):
                        kept = [each for each in map(change, texts) if each is not None]
                        if kept:
                            yield kept
                    case Failed(sentence=sentence):
                        raise KsqlError(sentence)
                    case Stopped():
                        return

        async def close() -> None:
            self.open.pop(query_id, None)
            self._spark_rows.pop(query_id, None)
            _end(waiting, Stopped(query_id, _GENERATION))
            if is_sent:
                await self.spark.send(StopQuery(query_id, _GENERATION, True))

        return PushQuery(query_id, outcome.schema, outcome.limit, rows(), close)


def _end(waiting: asyncio.Queue[Rows | Failed | Stopped], end: Failed | Stopped) -> None:
    """As the next that its reader gets, whatever waited there."""
    while not waiting.empty():
        waiting.get_nowait()
    waiting.put_nowait(end)


def _plain_condition(outcome: PushOutcome) -> Condition | None:
    """None where it takes Spark."""
    if not outcome.is_simple:
        return None
    try:
        return condition_of(outcome.where, column_types(outcome.source))
    except NotPlain:
        return None


def column_types(source: DataSource) -> dict[str, SqlType]:
    return {**_PSEUDO, **{column.name: column.type for column in source.schema}}


async def _only_rows(source: AsyncIterator[list[ChangedRow]]) -> AsyncIterator[list[list[Any]]]:
    async for found in source:
        rows = only_rows(found)
        if rows:
            yield rows


def _passes(condition: Condition, row: ServedRow) -> bool | None:
    """Of a stream: a record without a value is no row."""
    return True if row.value is not None and condition(row) else None


def _spark_change(outcome: PushOutcome, shows: list[Show | None], text: str) -> ChangedRow | None:
    """Of a row that the runner sent; None for what is none: a stream's record without a value."""
    sent = _decode(text)
    if sent.get("v") is not None:
        row = _decode(sent["v"])
        return shown(shows, [row.get(column.name) for column in outcome.schema])
    if outcome.plan.write.kind != Kind.TABLE.value or sent.get("k") is None:
        return None
    key = {**_decode(sent["k"]), "WINDOWSTART": sent.get("ws"), "WINDOWEND": sent.get("we")}
    return Tombstone(shown(shows, [None if name is None else key.get(name) for name in outcome.key_columns]))
