"""CREATE [SOURCE] STREAM | TABLE (columns) WITH (...): from a statement to a source that can be added."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from riacho.pipelines.sql.analysis.format_properties import format_info
from riacho.pipelines.sql.analysis.outcomes import NothingOutcome, SourceOutcome, TopicToCreate
from riacho.pipelines.sql.analysis.settings import (
    PARTITIONS_DEFAULT,
    REPLICAS_DEFAULT,
    InferenceRequest,
    Settings,
    TopicFacts,
)
from riacho.pipelines.sql.analysis.source_columns import RESERVED, defined_columns
from riacho.pipelines.sql.analysis.timestamps import refuse_timestamp
from riacho.pipelines.sql.analysis.with_clause import WithClause, read_with
from riacho.pipelines.sql.catalogue.catalogue import Catalogue
from riacho.pipelines.sql.catalogue.changes import SourceDefined
from riacho.pipelines.sql.catalogue.replacing import refuse_incompatible_source
from riacho.pipelines.sql.catalogue.sources import Column, DataSource, FormatInfo, LogicalSchema, Namespace
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.supported import FORMATS, check_columns, check_wrapping, format_of
from riacho.pipelines.sql.syntax.statements import CreateSource, Kind
from riacho.pipelines.sql.types import quoted


def analyse_create_source(
    statement: CreateSource, text: str, catalogue: Catalogue, settings: Settings
) -> SourceOutcome | NothingOutcome:
    kind = statement.kind.value.lower()
    existing = catalogue.find(statement.name)
    if existing is not None and not statement.or_replace:
        sentence = already_exists(statement.name, statement.kind, existing)
        if statement.if_not_exists:
            return NothingOutcome(message=sentence)
        raise KsqlError(sentence)
    if statement.or_replace and (statement.is_source or (existing is not None and existing.is_source)):
        raise KsqlError(
            f"Cannot add {kind} '{statement.name}': CREATE OR REPLACE is not supported on source streams or tables."
        )
    given = read_with(statement.properties)
    source = _source(statement, text, given, catalogue, settings)
    if existing is not None:
        if existing.is_created_as:
            raise KsqlError(
                f"Cannot add {kind} '{statement.name}': it is written by a query, so it is replaced by CREATE OR "
                "REPLACE ... AS SELECT."
            )
        refuse_incompatible_source(existing, source)
    return SourceOutcome(
        source,
        _topic(source, given, settings),
        changes=(SourceDefined(source),),
        message=f"{kind.capitalize()} {'replaced' if existing is not None else 'created'}",
    )


def already_exists(name: str, kind: Kind, existing: DataSource) -> str:
    return (
        f"Cannot add {kind.value.lower()} '{name}': A {existing.kind.value.lower()} with the same name already exists"
    )


def _source(
    statement: CreateSource, text: str, given: WithClause, catalogue: Catalogue, settings: Settings
) -> DataSource:
    if given.topic is None:
        raise KsqlError('Missing required property "KAFKA_TOPIC" which has no default value.')
    if not given.topic:
        raise KsqlError("KAFKA_TOPIC property cannot be empty.")
    key_format = _format_name(given.key_format, settings.key_format, "KEY")
    value_format = _format_name(given.value_format, settings.value_format, "VALUE")
    wrap = given.wrap if given.wrap is not None else default_wrap(value_format, settings)
    key_info = format_info(key_format, given.key_properties, given.key_schema_id, is_key=True)
    value_info = format_info(value_format, given.value_properties, given.value_schema_id, wrap)
    columns = defined_columns(statement.columns, statement.kind, catalogue.types)
    value_info, columns = _with_inferred(given, key_info, value_info, columns, settings)
    schema = LogicalSchema(columns)
    if len(schema.value) > 1 and given.wrap is None:
        value_info = replace(value_info, wrap=None)
    _refuse_columns(statement.kind, schema, given)
    check_formats(key_info, value_info, schema, wrap_asked=given.wrap is not None)
    source = DataSource(
        name=statement.name,
        kind=statement.kind,
        schema=schema,
        topic=given.topic,
        key_format=key_info,
        value_format=value_info,
        window=given.window,
        timestamp=given.timestamp,
        sql=text,
        is_source=statement.is_source,
        partitions=_facts(given, settings).partitions,
        replicas=_facts(given, settings).replicas,
    )
    refuse_timestamp(source.timestamp, schema)
    return source


def _format_name(given: str | None, default: str | None, side: str) -> str:
    name = given if given is not None else default
    if name is None:
        raise KsqlError(
            f"Statement is missing the '{side}_FORMAT' property from the WITH clause. Either provide one or set a "
            f"default via the 'ksql.persistence.default.format.{side.lower()}' config."
        )
    return format_of(name).name


def default_wrap(value_format: str, settings: Settings) -> bool | None:
    """The server's setting, where the format has a choice."""
    form = FORMATS[value_format]
    return settings.wraps_single_values if form.wraps and form.unwraps else None


def check_formats(key: FormatInfo, value: FormatInfo, schema: LogicalSchema, wrap_asked: bool) -> None:
    values = [column.field for column in schema.value]
    if wrap_asked:
        check_wrapping(value.name, values, value.wrap)
    check_columns(key.name, [column.field for column in schema.key], is_key=True)
    check_columns(value.name, values, is_key=False, wrap=value.wrap)


def _with_inferred(
    given: WithClause,
    key_info: FormatInfo,
    value_info: FormatInfo,
    columns: tuple[Column, ...],
    settings: Settings,
) -> tuple[FormatInfo, tuple[Column, ...]]:
    """Columns of a key or a value that the statement does not name come from the registry, where the format has one.
    A value whose schema is no record is not wrapped."""
    assert given.topic is not None
    keys = tuple(column for column in columns if column.namespace is Namespace.KEY)
    values = tuple(column for column in columns if column.namespace is Namespace.VALUE)
    headers = tuple(column for column in columns if column.namespace is Namespace.HEADERS)
    for side, schema_id, written in (("KEY", given.key_schema_id, keys), ("VALUE", given.value_schema_id, values)):
        if written and schema_id is not None:
            raise KsqlError(f"Table elements and {side}_SCHEMA_ID cannot both exist for create statement.")
    if settings.infer is None:
        return value_info, columns
    key_infers = not keys and FORMATS[key_info.name].infers
    value_infers = not values and FORMATS[value_info.name].infers
    if not key_infers and not value_infers:
        return value_info, columns
    if key_infers:
        found = settings.infer(InferenceRequest(given.topic, key_info, is_key=True))
        keys = tuple(Column(field.name, field.type, Namespace.KEY) for field in found.columns)
    if value_infers:
        found = settings.infer(InferenceRequest(given.topic, value_info, is_key=False))
        values = tuple(Column(field.name, field.type) for field in found.columns)
        if found.is_single and value_info.wrap is None:
            value_info = replace(value_info, wrap=False)
    inferred = (*keys, *values, *headers)
    _refuse_names(inferred)
    return value_info, inferred


def _refuse_names(columns: Sequence[Column]) -> None:
    names = [column.name for column in columns]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise KsqlError(f"Duplicate column names: {', '.join(map(quoted, twice))}")
    for name in names:
        if name in RESERVED:
            raise KsqlError(f"'{name}' is a reserved column name.")


def _refuse_columns(kind: Kind, schema: LogicalSchema, given: WithClause) -> None:
    if not schema.columns:
        raise KsqlError("The statement does not define any columns.")
    if kind is Kind.TABLE and not schema.key:
        raise KsqlError("Tables require a PRIMARY KEY. Please define the PRIMARY KEY.")
    if given.window is not None and not schema.key:
        raise KsqlError("Windowed sources require a key column.")


def _facts(given: WithClause, settings: Settings) -> TopicFacts:
    assert given.topic is not None
    existing = settings.find_topic(given.topic) if settings.find_topic is not None else None
    if existing is not None and not existing.is_assumed:
        return existing
    return TopicFacts(given.partitions or PARTITIONS_DEFAULT, given.replicas or REPLICAS_DEFAULT)


def _topic(source: DataSource, given: WithClause, settings: Settings) -> TopicToCreate | None:
    if settings.find_topic is None:
        return TopicToCreate(source.topic, source.partitions, source.replicas, topic_config(given))
    existing = settings.find_topic(source.topic)
    if existing is not None and existing.is_assumed:
        return TopicToCreate(source.topic, source.partitions, source.replicas, topic_config(given))
    if existing is None:
        if given.partitions is None:
            kind = source.kind.value
            raise KsqlError(
                f"Topic '{source.topic}' does not exist. If you want to create a new topic for the "
                "stream/table please re-run the statement providing the required 'PARTITIONS' configuration in the "
                f"WITH clause (and optionally 'REPLICAS'). For example: CREATE {kind} {source.name} "
                f"({_example(source.schema.columns)}) WITH (KAFKA_TOPIC='{source.topic}', PARTITIONS=2, REPLICAS=1)"
            )
        return TopicToCreate(source.topic, given.partitions, given.replicas or REPLICAS_DEFAULT, topic_config(given))
    refuse_other_topic(source.topic, given.partitions, given.replicas, existing)
    return None


def refuse_other_topic(topic: str, partitions: int | None, replicas: int | None, existing: TopicFacts) -> None:
    """KsqlError where a topic is there that has not what is wanted; None for what is not said."""
    partitions, replicas = partitions or existing.partitions, replicas or existing.replicas
    if (partitions, replicas) != (existing.partitions, existing.replicas):
        raise KsqlError(
            f"A Kafka topic with the name '{topic}' already exists, with different partition/replica configuration "
            f"than required. KSQL expects {partitions} partitions (topic has {existing.partitions}), and {replicas} "
            f"replication factor (topic has {existing.replicas})."
        )


def _example(columns: Sequence[Column]) -> str:
    return ", ".join(f"{column.name} {column.type}" for column in columns[:3])


def topic_config(given: WithClause) -> dict[str, str]:
    config: dict[str, str] = {}
    if given.retention_ms is not None:
        config["retention.ms"] = str(given.retention_ms)
    if given.cleanup_policy is not None:
        config["cleanup.policy"] = given.cleanup_policy
    return config
