"""SELECT and PRINT as the endpoints that stream see them: analysed, started, with a schema and rows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

from confluent_kafka import Message

from riacho.pipelines.sql.analysis.outcomes import PullOutcome, PushOutcome
from riacho.pipelines.sql.catalogue.sources import LogicalSchema
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.print_format import PrintedRecord, TopicPrinter
from riacho.pipelines.sql.formats.registry_access import RegistryAccess
from riacho.pipelines.sql.server.errors import statement_error
from riacho.pipelines.sql.server.executor import Executor
from riacho.pipelines.sql.server.session import Session
from riacho.pipelines.sql.server.topics import Topics
from riacho.pipelines.sql.serving.pull import PullQueries, PullQuery
from riacho.pipelines.sql.serving.push import PushQueries, PushQuery
from riacho.pipelines.sql.serving.tail import Tail, TailError
from riacho.pipelines.sql.syntax.statements import PrintTopic


@dataclass(slots=True)
class Selects:
    executor: Executor
    push: PushQueries
    pull: PullQueries
    topics: Topics
    client: Mapping[str, Any]
    registry: RegistryAccess | None

    async def start(self, text: str, session: Session) -> PushQuery | PullQuery | Printing:
        """ApiError where the text is no query, or one that cannot be run."""
        try:
            parsed, outcome = await self.executor.analysed(text, session)
            match outcome:
                case PushOutcome():
                    return await self.push.start(outcome)
                case PullOutcome():
                    return await self.pull.start(outcome)
                case _ if isinstance(parsed.statement, PrintTopic):
                    return await self._print(parsed.statement)
            raise KsqlError("Only SELECT and PRINT are taken here; other statements go to /ksql.", parsed.text)
        except KsqlError as error:
            raise statement_error(error, text) from None

    async def _print(self, statement: PrintTopic) -> Printing:
        found = await asyncio.to_thread(self.topics.find, statement.topic)
        if found is None:
            raise KsqlError(
                f"Could not find topic '{statement.topic}', or the KSQL user does not have permissions to list it."
            )
        starts = None
        if not statement.from_beginning:
            starts = await asyncio.to_thread(self.topics.ends, statement.topic, found.partitions)
        tail = Tail(self.client, statement.topic, found.partitions, _printed, starts=starts)
        return Printing(tail, TopicPrinter(self.registry), statement.interval or 1, statement.limit)


@dataclass(slots=True)
class Printing:
    """PRINT: lines of text, formats first; of every `interval`-th record, up to `limit`."""

    tail: Tail[PrintedRecord]
    printer: TopicPrinter
    interval: int
    limit: int | None
    schema: LogicalSchema | None = None

    async def lines(self) -> AsyncIterator[str]:
        heads: list[str] = []
        seen = shown = 0
        try:
            async for records in self.tail.rows():
                kept = records[(-seen) % self.interval :: self.interval]
                seen += len(records)
                if self.limit is not None:
                    kept = kept[: self.limit - shown]
                shown += len(kept)
                written = await asyncio.to_thread(self.printer.lines, kept)
                if self.printer.heads() != heads:
                    heads = self.printer.heads()
                    written = heads + written
                for line in written:
                    yield line
                if self.limit is not None and shown >= self.limit:
                    return
        except TailError as error:
            raise KsqlError(str(error)) from None

    async def close(self) -> None:
        await self.tail.close()


def _printed(message: Message) -> PrintedRecord:
    return PrintedRecord(message.key(), message.value(), message.timestamp()[1], message.partition() or 0)
