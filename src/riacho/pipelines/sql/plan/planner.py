"""From an analysed query to the plan of its statement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from riacho.pipelines.sql.analysis.analysed import AnalysedQuery, Rekeying
from riacho.pipelines.sql.analysis.settings import Settings
from riacho.pipelines.sql.analysis.typing_of import Compiler
from riacho.pipelines.sql.catalogue.sources import DataSource
from riacho.pipelines.sql.functions.python_functions import called_python_functions
from riacho.pipelines.sql.plan.aggregate_limits import with_limits
from riacho.pipelines.sql.plan.codecs import key_codec, value_codec
from riacho.pipelines.sql.plan.grouping import grouped_stream_steps, grouped_table_steps
from riacho.pipelines.sql.plan.stateless import stateless_steps
from riacho.pipelines.sql.plan.steps import Decode, Encode, Project, StatementPlan, Step, Task
from riacho.pipelines.sql.plan.table_filter import filtered_table_steps
from riacho.pipelines.sql.syntax.statements import Kind
from riacho.pipelines.sql.types import SqlType

NATIVE = "ksql.query.native.aggregation.enabled"


def plan_query(
    query: AnalysedQuery,
    sink: DataSource,
    query_id: str,
    statement: str,
    settings: Settings,
    types: Mapping[str, SqlType],
    before: StatementPlan | None = None,
) -> StatementPlan:
    """`before` is the plan whose place it takes, and whose state."""
    compiler = Compiler(settings.functions, types)
    steps = with_limits(_steps(query, compiler, settings, before), settings)
    return StatementPlan(
        query_id=query_id,
        statement=statement,
        reads=tuple(decode(each.source, settings.registry, settings.strict_time) for each in query.sources),
        steps=steps,
        write=encode(sink, settings.registry),
        reset=_reset(query, settings),
        properties=dict(settings.properties),
        functions=_functions(steps),
    )


def _steps(
    query: AnalysedQuery, compiler: Compiler, settings: Settings, before: StatementPlan | None
) -> tuple[Step, ...]:
    is_table, every_change = query.source.kind is Kind.TABLE, settings.emits_every_change
    if query.rekeying is Rekeying.GROUP_BY:
        if is_table:
            return grouped_table_steps(query, compiler, every_change)
        return grouped_stream_steps(query, compiler, every_change, _why_a_task_anyway(settings, before))
    if is_table and query.where is not None:
        return filtered_table_steps(query, compiler, every_change)
    return stateless_steps(query, compiler)


def _why_a_task_anyway(settings: Settings, before: StatementPlan | None) -> str | None:
    if (settings.value_of(NATIVE, "true") or "").lower() == "false":
        return f"{NATIVE} is false"
    if before is not None and any(isinstance(step, Task) for step in before.steps):
        return "the query before has a task's state"
    return None


def _functions(steps: Sequence[Step]) -> tuple[str, ...]:
    projects = [step for step in steps if isinstance(step, Project)]
    texts = [text for project in projects for _, text in project.columns]
    return called_python_functions([*texts, *(project.where for project in projects if project.where)])


def _reset(query: AnalysedQuery, settings: Settings) -> str:
    """Where nobody says, a stream's query begins with what comes next, a table's with all there is."""
    default = "earliest" if query.source.kind is Kind.TABLE else "latest"
    return (settings.value_of("auto.offset.reset", default) or default).lower()


def decode(source: DataSource, registry: Mapping[str, str], strict_time: bool = False) -> Decode:
    timestamp = source.timestamp
    column = source.schema.find(timestamp.name) if timestamp is not None else None
    return Decode(
        source=source.name,
        topic=source.topic,
        kind=source.kind.value,
        key=key_codec(source, registry),
        value=value_codec(source, registry),
        timestamp=timestamp.name if timestamp is not None else None,
        timestamp_type=str(column.type) if column is not None else None,
        timestamp_format=timestamp.format if timestamp is not None else None,
        strict_time=strict_time,
    )


def encode(sink: DataSource, registry: Mapping[str, str]) -> Encode:
    timestamp = sink.timestamp
    column = sink.schema.find(timestamp.name) if timestamp is not None else None
    return Encode(
        sink=sink.name,
        topic=sink.topic,
        kind=sink.kind.value,
        key=key_codec(sink, registry),
        value=value_codec(sink, registry),
        timestamp=timestamp.name if timestamp is not None else None,
        timestamp_type=str(column.type) if column is not None else None,
        timestamp_format=timestamp.format if timestamp is not None else None,
    )
