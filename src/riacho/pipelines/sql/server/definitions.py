"""Statements that change the catalogue: analysed, prepared in the cluster, written to the command topic.

What a statement needs outside (its topic, its schemas) is made before the command is written: a command that is in the
topic can be carried out. What is left over when the writing fails is an empty topic, which the next try finds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

from riacho.base.decision import Decision
from riacho.pipelines.formats.registry_client import RegistryError
from riacho.pipelines.sql.analysis.outcomes import (
    CatalogueOutcome,
    DropOutcome,
    NothingOutcome,
    Outcome,
    QueryOutcome,
    SourceOutcome,
)
from riacho.pipelines.sql.analysis.statements import analyse
from riacho.pipelines.sql.catalogue.catalogue import Catalogue
from riacho.pipelines.sql.catalogue.sources import DataSource
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.registry_access import RegistryAccess, RegistryRefusal
from riacho.pipelines.sql.formats.schema_registration import register_schema, subject_of
from riacho.pipelines.sql.formats.supported import format_of
from riacho.pipelines.sql.server.command_ids import command_id
from riacho.pipelines.sql.server.command_state import CommandState
from riacho.pipelines.sql.server.entities import Entity, current_status, entity
from riacho.pipelines.sql.server.inference import refuse_without_registry
from riacho.pipelines.sql.server.surroundings import Surroundings
from riacho.pipelines.sql.server.topics import Topics
from riacho.pipelines.sql.syntax.statements import Parsed
from riacho.single_writer.record import Append

T = TypeVar("T")
Definition = SourceOutcome | QueryOutcome | DropOutcome | CatalogueOutcome | NothingOutcome


class Writer(Protocol):
    async def change(self, decide: Callable[[], Decision[Append, T]]) -> T: ...


@dataclass(frozen=True, slots=True)
class Seen:
    """What a statement was analysed with. `own_properties` are the request's, the only ones that are written down: the
    server's may hold secrets."""

    catalogue: Catalogue
    sequence: int
    """A query's id ends with its command's number."""
    surroundings: Surroundings
    properties: Mapping[str, str]
    own_properties: Mapping[str, str]


@dataclass(slots=True)
class Definitions:
    state: CommandState
    writer: Writer
    topics: Topics
    registry: RegistryAccess | None
    queries_max: int

    async def define(self, parsed: Parsed, outcome: Definition, seen: Seen) -> Entity:
        """Where the catalogue is not the one any more that was seen, the statement is analysed again."""
        self._check_room(outcome)
        await asyncio.to_thread(self._prepare, outcome)
        remembered = seen.surroundings.remembered(seen.properties)

        def decide() -> Decision[Append, tuple[Definition, int]]:
            sequence = self.state.sequence
            decided = outcome
            # Only where it has to be: this holds up everybody, and a statement may be long.
            if self.state.catalogue is not seen.catalogue or sequence != seen.sequence:
                again = analyse(parsed, self.state.catalogue, remembered, sequence)
                assert isinstance(again, Definition), "the statement is the same"
                self._check_room(again)
                decided = again
            if not decided.changes:
                return Decision((decided, sequence - 1))
            query_id = decided.query.query_id if isinstance(decided, QueryOutcome) else None
            record = self.state.append(
                command_id(parsed.statement),
                parsed.text,
                decided.changes,
                message=decided.message,
                query_id=query_id,
                properties=seen.own_properties,
            )
            return Decision((decided, sequence), [record])

        decided, sequence = await self.writer.change(decide)
        if isinstance(decided, DropOutcome) and decided.source is not None and decided.delete_topic:
            await asyncio.to_thread(self._delete_topic, decided.source)
        if isinstance(decided, NothingOutcome):
            return entity("warning_entity", parsed.text, message=decided.message)
        query_id = decided.query.query_id if isinstance(decided, QueryOutcome) else None
        return current_status(parsed.text, command_id(parsed.statement), decided.message, query_id, sequence)

    def _check_room(self, outcome: Outcome) -> None:
        if isinstance(outcome, QueryOutcome) and outcome.replaces is None:
            running = len(self.state.catalogue.queries)
            if running >= self.queries_max:
                raise KsqlError(
                    f"Not executing statement(s) as it would cause the number of active, persistent queries to exceed "
                    f"the configured limit. Currently running: {running}, limit: {self.queries_max}."
                )

    def _prepare(self, outcome: Outcome) -> None:
        if isinstance(outcome, SourceOutcome | QueryOutcome):
            topic = outcome.topic
            if topic is not None:
                self.topics.create(topic.name, topic.partitions, topic.replicas, topic.config)
            source = outcome.source if isinstance(outcome, SourceOutcome) else outcome.sink
            self._register(source, only_if_absent=isinstance(outcome, SourceOutcome))

    def _delete_topic(self, source: DataSource) -> None:
        """Its subjects too; others that read the topic have been refused by analysis."""
        self.topics.delete([source.topic])
        if self.registry is None:
            return
        for is_key, form in ((True, source.key_format), (False, source.value_format)):
            if format_of(form.name).schema_type is not None:
                try:
                    self.registry.delete(subject_of(source.topic, is_key))
                except (RegistryRefusal, RegistryError) as error:
                    raise KsqlError(
                        f"Could not clean up the schema registry for topic: {source.topic}. {error}"
                    ) from None

    def _register(self, source: DataSource, only_if_absent: bool) -> None:
        for is_key, format_, columns in (
            (True, source.key_format, source.schema.key),
            (False, source.value_format, source.schema.value),
        ):
            if self.registry is None and columns and format_of(format_.name).schema_type is not None:
                refuse_without_registry()
            if self.registry is not None and format_.schema_id is None:
                fields = [column.field for column in columns]
                register_schema(
                    self.registry,
                    source.topic,
                    format_.name,
                    fields,
                    is_key,
                    format_.wrap,
                    format_.properties,
                    only_if_absent,
                )
