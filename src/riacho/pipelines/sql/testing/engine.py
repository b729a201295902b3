"""Statements of a case or a script, carried out in memory: catalogue, topics and registry, nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import msgspec

from riacho.pipelines.sql.analysis.outcomes import DropOutcome, OtherOutcome, QueryOutcome, RowOutcome, SourceOutcome
from riacho.pipelines.sql.analysis.settings import (
    Evaluate,
    InferenceRequest,
    Inferred,
    Settings,
    TopicFacts,
    refuse_fixed,
)
from riacho.pipelines.sql.analysis.statements import analyse
from riacho.pipelines.sql.catalogue.catalogue import Catalogue
from riacho.pipelines.sql.catalogue.queries import PersistentQuery, QueryType
from riacho.pipelines.sql.catalogue.sources import DataSource
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.codec import CodecError
from riacho.pipelines.sql.formats.memory_registry import MemoryRegistry
from riacho.pipelines.sql.formats.schema_inference import SchemaQuestion, infer_columns
from riacho.pipelines.sql.formats.schema_registration import register_schema
from riacho.pipelines.sql.parsing.scripts import parse_with_variables
from riacho.pipelines.sql.parsing.variables import Variables
from riacho.pipelines.sql.plan.planner import NATIVE, encode
from riacho.pipelines.sql.records.record_encoder import RecordEncoder
from riacho.pipelines.sql.syntax import statements as syntax
from riacho.pipelines.sql.testing.assertions import check_schema, check_topic
from riacho.pipelines.sql.testing.case import CaseTopic
from riacho.pipelines.sql.testing.topic_forms import TopicForms
from riacho.pipelines.sql.testing.topics import MemoryTopics, TopicRecord

_REGISTRY = {"schema.registry.url": "memory:"}
# Without a cache: every change counts.
_PROPERTIES = {"auto.offset.reset": "earliest", "cache.max.bytes.buffering": "0"}

OnOther: TypeAlias = Callable[[syntax.Statement], None]


class Engine:
    """`on_other` is called with statements that are no business of a catalogue: assertions of scripts. KsqlError for a
    property that has another value than it can have."""

    def __init__(self, properties: Mapping[str, str], evaluate: Evaluate | None, on_other: OnOther) -> None:
        self.catalogue = Catalogue()
        self.topics = MemoryTopics()
        self.registry = MemoryRegistry()
        self.forms = TopicForms(self.registry)
        for name, value in properties.items():
            refuse_fixed(name, value)
        self._properties = {**_PROPERTIES, **properties, NATIVE: "false"}
        self._variables = Variables()
        self._evaluate = evaluate
        self._on_other = on_other
        self._number = 0

    def describe_topic(self, topic: CaseTopic) -> None:
        self.topics.create(topic.name, topic.partitions)
        self.forms.describe(topic)

    def execute(self, text: str) -> None:
        """All statements of a text. KsqlError."""
        for parsed in parse_with_variables(text, self._variables, require_terminator=False):
            self._carry_out(parsed)

    def queries(self) -> list[PersistentQuery]:
        """Those that write, in the order in which they were started."""
        return [each for each in self.catalogue.queries.values() if each.type is not QueryType.SOURCE_TABLE]

    def _carry_out(self, parsed: syntax.Parsed) -> None:
        outcome = analyse(parsed, self.catalogue, self._settings(), self._number)
        match outcome:
            case SourceOutcome():
                self._add_topic(outcome.source, is_sink=False)
            case QueryOutcome():
                self._add_topic(outcome.sink, is_sink=True)
            case RowOutcome():
                self._insert(outcome)
            case DropOutcome(source, delete_topic=True) if source is not None:
                self.topics.delete(source.topic)
            case OtherOutcome(statement):
                self._other(statement)
            case _:
                pass
        self._number += 1
        self.catalogue = self.catalogue.apply_all(outcome.changes)

    def _settings(self) -> Settings:
        return Settings(
            properties=self._properties,
            registry=_REGISTRY,
            infer=self._infer,
            find_topic=self._find_topic,
            evaluate=self._evaluate,
        )

    def _infer(self, request: InferenceRequest) -> Inferred:
        question = SchemaQuestion(
            topic=request.topic,
            format=request.format.name,
            is_key=request.is_key,
            wrap=request.format.wrap,
            properties=request.format.properties,
            schema_id=request.format.schema_id,
        )
        found = infer_columns(self.registry, question)
        return Inferred(found.columns, found.is_single)

    def _find_topic(self, name: str) -> TopicFacts | None:
        """A topic that a statement names is taken to exist: cases need not list theirs."""
        topic = self.topics.find(name)
        return TopicFacts(is_assumed=True) if topic is None else TopicFacts(topic.partitions, topic.replicas)

    def _add_topic(self, source: DataSource, *, is_sink: bool) -> None:
        for info, columns, is_key in (
            (source.key_format, source.schema.key, True),
            (source.value_format, source.schema.value, False),
        ):
            register_schema(
                self.registry,
                source.topic,
                info.name,
                [column.field for column in columns],
                is_key,
                info.wrap,
                info.properties,
                only_if_absent=not is_sink,
            )
        self.topics.create(source.topic, source.partitions, source.replicas)
        self.forms.add_source(source)

    def _insert(self, row: RowOutcome) -> None:
        encoder = RecordEncoder(encode(row.source, _REGISTRY), self.registry)
        try:
            made = encoder.encode(_text(row.key), _text(row.value), row.timestamp_ms or 0)
        except CodecError as error:
            raise KsqlError(f"Failed to insert values into '{row.source.name}'. {error}") from None
        self.topics.append(row.source.topic, TopicRecord(made.key, made.value, made.timestamp_ms))

    def _other(self, statement: syntax.Statement) -> None:
        match statement:
            case syntax.SetProperty(name, value):
                refuse_fixed(name, value)
                self._properties[name] = value
            case syntax.UnsetProperty(name):
                self._properties.pop(name, None)
            case syntax.DefineVariable(name, value):
                self._variables.define(name, value)
            case syntax.UndefineVariable(name):
                self._variables.undefine(name)
            case syntax.AssertTopic():
                check_topic(statement, self.topics)
            case syntax.AssertSchema():
                check_schema(statement, self.registry)
            case _:
                self._on_other(statement)


def _text(row: Mapping[str, object] | None) -> str | None:
    return None if row is None else msgspec.json.encode(row).decode()
