"""CREATE STREAM | TABLE ... AS SELECT: the query, and the sink that it writes."""

from __future__ import annotations

from collections.abc import Sequence

from riacho.pipelines.sql.analysis.analysed import AnalysedQuery
from riacho.pipelines.sql.analysis.create_source import (
    already_exists,
    check_formats,
    default_wrap,
    refuse_other_topic,
    topic_config,
)
from riacho.pipelines.sql.analysis.format_properties import format_info
from riacho.pipelines.sql.analysis.outcomes import NothingOutcome, QueryOutcome, TopicToCreate
from riacho.pipelines.sql.analysis.queries import analyse_query
from riacho.pipelines.sql.analysis.settings import InferenceRequest, Settings
from riacho.pipelines.sql.analysis.timestamps import refuse_timestamp
from riacho.pipelines.sql.analysis.with_clause import WithClause, read_with
from riacho.pipelines.sql.catalogue.catalogue import Catalogue
from riacho.pipelines.sql.catalogue.changes import QueryStarted, SourceDefined
from riacho.pipelines.sql.catalogue.queries import PersistentQuery, QueryType, query_id
from riacho.pipelines.sql.catalogue.replacing import refuse_incompatible_query, refuse_incompatible_source
from riacho.pipelines.sql.catalogue.sources import Column, DataSource, FormatInfo, LogicalSchema, Namespace
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions.coercion import can_coerce
from riacho.pipelines.sql.plan.planner import plan_query
from riacho.pipelines.sql.syntax.statements import CreateAsSelect, Kind
from riacho.pipelines.sql.types import quoted


def analyse_create_as_select(
    statement: CreateAsSelect, text: str, catalogue: Catalogue, settings: Settings, number: int
) -> QueryOutcome | NothingOutcome:
    """`number` is the offset of the statement's command, which the query's id ends with."""
    existing = catalogue.find(statement.name)
    if existing is not None and not statement.or_replace:
        sentence = already_exists(statement.name, statement.kind, existing)
        if statement.if_not_exists:
            return NothingOutcome(message=sentence)
        raise KsqlError(sentence)
    if statement.query.limit is not None:
        raise KsqlError(f"CREATE {statement.kind.value} AS SELECT statements don't support LIMIT clause.")
    given = read_with(statement.properties, is_as_select=True)
    query = analyse_query(statement.query, catalogue, settings, statement.name)
    _refuse_other_kind(statement.kind, query)
    sink = sink_of(statement, query, text, given, settings)
    kind = QueryType.CREATE_STREAM_AS if sink.kind is Kind.STREAM else QueryType.CREATE_TABLE_AS
    name = query_id(kind, sink.name, number)
    replaces = _refuse_incompatible(existing, sink, catalogue) if existing is not None else None
    before = catalogue.queries[replaces].plan if replaces is not None else None
    plan = plan_query(query, sink, name, text, settings, catalogue.types, before)
    if before is not None:
        refuse_incompatible_query(before, plan)
    reads = tuple(each.source.name for each in query.sources)
    running = PersistentQuery(name, kind, text, sink.name, reads, plan, properties=dict(settings.properties))
    return QueryOutcome(
        running,
        sink,
        _topic(sink, given),
        replaces,
        changes=(SourceDefined(sink, reads), QueryStarted(running, replaces)),
        message=f"Created query with ID {name}",
    )


def _refuse_other_kind(kind: Kind, query: AnalysedQuery) -> None:
    if query.kind is not kind:
        made = query.kind.value
        raise KsqlError(
            f"Invalid result type. Your SELECT query produces a {made}. "
            f"Please use CREATE {made} AS SELECT statement instead."
        )


def _refuse_incompatible(existing: DataSource, sink: DataSource, catalogue: Catalogue) -> str | None:
    """The id of the query that is to be replaced."""
    if not existing.is_created_as:
        raise KsqlError(
            f"Cannot add {sink.kind.value.lower()} '{sink.name}': it was not made by AS SELECT, so it is replaced by "
            "CREATE OR REPLACE with columns."
        )
    refuse_incompatible_source(existing, sink)
    writers = catalogue.writers(existing.name)
    own = catalogue.creating_query(existing.name)
    others = [each for each in writers if own is None or each != own.query_id]
    if others:
        raise KsqlError(
            f"Cannot add {sink.kind.value.lower()} '{sink.name}': other queries write into it: [{', '.join(others)}]."
        )
    return own.query_id if own is not None else None


def sink_of(
    statement: CreateAsSelect, query: AnalysedQuery, text: str, given: WithClause, settings: Settings
) -> DataSource:
    source = query.source
    schema = result_schema(query)
    key_info = _key_format(given, source, schema, settings)
    value_info = _value_format(given, source, schema, settings)
    check_formats(key_info, value_info, schema, wrap_asked=given.wrap is not None)
    topic = given.topic or statement.name
    _refuse_other_schema(topic, key_info, schema.key, settings)
    _refuse_other_schema(topic, value_info, schema.value, settings)
    prefix = settings.value_of("ksql.output.topic.name.prefix", "") or ""
    sink = DataSource(
        name=statement.name,
        kind=query.kind,
        schema=schema,
        topic=given.topic or f"{prefix}{statement.name}",
        key_format=key_info,
        value_format=value_info,
        window=query.window,
        timestamp=given.timestamp,
        sql=text,
        is_created_as=True,
        partitions=given.partitions or source.partitions,
        replicas=given.replicas or source.replicas,
    )
    refuse_timestamp(sink.timestamp, schema)
    there = settings.find_topic(sink.topic) if settings.find_topic is not None else None
    if there is not None and not there.is_assumed:
        refuse_other_topic(sink.topic, sink.partitions, given.replicas, there)
    return sink


def _refuse_other_schema(topic: str, info: FormatInfo, columns: Sequence[Column], settings: Settings) -> None:
    """A schema that the statement names by its id has to hold the result's columns, in their order."""
    if info.schema_id is None or settings.infer is None or not columns:
        return
    is_key = columns[0].namespace is Namespace.KEY
    found = settings.infer(InferenceRequest(topic, info, is_key)).columns
    changed = [
        column
        for position, column in enumerate(columns)
        if position >= len(found)
        or (not is_key and found[position].name != column.name)
        or not can_coerce(column.type, found[position].type)
    ]
    if changed:
        listed = ", ".join(f"{quoted(column.name)} {column.type}" for column in changed)
        known = ", ".join(f"{quoted(field.name)} {field.type}" for field in found)
        raise KsqlError(
            f"The following {'key' if is_key else 'value'} columns are changed, missing or reordered: [{listed}]. "
            f"Schema from schema registry is [{known}]"
        )


def result_schema(query: AnalysedQuery) -> LogicalSchema:
    keys = [Column(each.name, each.type, Namespace.KEY) for each in query.keys]
    return LogicalSchema((*keys, *(Column(each.name, each.type) for each in query.values)))


def _key_format(given: WithClause, source: DataSource, schema: LogicalSchema, settings: Settings) -> FormatInfo:
    name = given.key_format
    if given.has_key_format and not schema.key and name != "NONE":
        raise KsqlError("Key format specified for stream without key columns.")
    if name is None or not schema.key:
        name = source.key_format.name
        if not schema.key:
            name = "NONE"
        elif name == "NONE":
            name = settings.key_format or "KAFKA"
    return format_info(name, given.key_properties, given.key_schema_id, inherited=source.key_format, is_key=True)


def _value_format(given: WithClause, source: DataSource, schema: LogicalSchema, settings: Settings) -> FormatInfo:
    name = given.value_format or source.value_format.name
    wrap = given.wrap
    if wrap is None and len(schema.value) == 1:
        wrap = default_wrap(name, settings)
    return format_info(name, given.value_properties, given.value_schema_id, wrap, inherited=source.value_format)


def _topic(sink: DataSource, given: WithClause) -> TopicToCreate:
    """A table's topic keeps the last record of a key; a windowed one also lets old windows go."""
    config = topic_config(given)
    if sink.kind is Kind.TABLE and "cleanup.policy" not in config:
        config["cleanup.policy"] = "compact" if sink.window is None else "compact,delete"
    return TopicToCreate(sink.topic, sink.partitions, sink.replicas, config)
