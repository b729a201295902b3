"""INSERT INTO ... SELECT: a query into a stream that exists."""

from __future__ import annotations

from dataclasses import replace

from riacho.pipelines.sql.analysis.analysed import AnalysedQuery, ResultColumn
from riacho.pipelines.sql.analysis.create_as_select import result_schema
from riacho.pipelines.sql.analysis.outcomes import QueryOutcome
from riacho.pipelines.sql.analysis.queries import analyse_query
from riacho.pipelines.sql.analysis.settings import Settings
from riacho.pipelines.sql.catalogue.catalogue import Catalogue
from riacho.pipelines.sql.catalogue.changes import QueryStarted
from riacho.pipelines.sql.catalogue.queries import PersistentQuery, QueryType, query_id
from riacho.pipelines.sql.catalogue.sources import DataSource
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions.coercion import can_coerce
from riacho.pipelines.sql.plan.planner import plan_query
from riacho.pipelines.sql.syntax.statements import InsertInto, Kind
from riacho.pipelines.sql.types import quoted


def analyse_insert_into(
    statement: InsertInto, text: str, catalogue: Catalogue, settings: Settings, number: int
) -> QueryOutcome:
    sink = catalogue.find(statement.target)
    if sink is None:
        raise KsqlError(f"Sink does not exist for the INSERT INTO statement: {quoted(statement.target)}")
    if sink.kind is Kind.TABLE:
        raise KsqlError(f"INSERT INTO can only be used to insert into a stream. {sink.name} is a table.")
    if sink.is_source:
        raise KsqlError(f"Cannot insert into read-only stream: {sink.name}")
    query = analyse_query(statement.query, catalogue, settings, sink.name)
    if query.kind is not sink.kind:
        raise KsqlError(
            f"Incompatible data sink and query result. Data sink ({sink.name}) type is K{sink.kind.value} but select "
            f"query result is K{query.kind.value}."
        )
    fitted = _fitted(query, sink)
    name = _query_id(statement, catalogue, number)
    plan = plan_query(fitted, sink, name, text, settings, catalogue.types)
    reads = tuple(each.source.name for each in query.sources)
    running = PersistentQuery(
        name, QueryType.INSERT, text, sink.name, reads, plan, properties=dict(settings.properties)
    )
    return QueryOutcome(running, sink, changes=(QueryStarted(running),), message=f"Created query with ID {name}")


def _query_id(statement: InsertInto, catalogue: Catalogue, number: int) -> str:
    unknown = [name for name in statement.properties if name != "QUERY_ID"]
    if unknown:
        raise KsqlError(f"Invalid config variable(s) in the WITH clause: {','.join(unknown)}")
    given = statement.properties.get("QUERY_ID")
    if given is None:
        return query_id(QueryType.INSERT, statement.target, number)
    name = str(given).upper()
    if name in catalogue.queries:
        raise KsqlError(f"Query ID '{name}' already exists.")
    if not name or not all(letter.isalnum() or letter in "_-" for letter in name):
        raise KsqlError(f"Query IDs may contain only alphanumeric characters and '_'. Got: '{name}'")
    return name


def _fitted(query: AnalysedQuery, sink: DataSource) -> AnalysedQuery:
    """The query with the sink's types, where its own fit."""
    if not _fits(query.keys, sink, is_key=True) or not _fits(query.values, sink, is_key=False):
        raise KsqlError(
            "Incompatible schema between results and sink.\n"
            f"Result schema is {result_schema(query).text(query.kind)}\n"
            f"Sink schema is {sink.schema.text(sink.kind)}"
        )
    types = {column.name: column.type for column in sink.schema}
    return replace(
        query,
        keys=tuple(replace(each, type=types[each.name]) for each in query.keys),
        values=tuple(replace(each, type=types[each.name]) for each in query.values),
    )


def _fits(columns: tuple[ResultColumn, ...], sink: DataSource, *, is_key: bool) -> bool:
    targets = sink.schema.key if is_key else sink.schema.value
    return len(columns) == len(targets) and all(
        column.name == target.name and can_coerce(column.type, target.type)
        for column, target in zip(columns, targets, strict=True)
    )
