"""Push queries: SELECT ... EMIT CHANGES | FINAL without a sink."""

from __future__ import annotations

from riacho.pipelines.sql.analysis.analysed import AnalysedQuery, Rekeying
from riacho.pipelines.sql.analysis.outcomes import PushOutcome
from riacho.pipelines.sql.analysis.queries import analyse_query
from riacho.pipelines.sql.analysis.settings import Settings
from riacho.pipelines.sql.analysis.syntax_walk import walk
from riacho.pipelines.sql.catalogue.catalogue import Catalogue
from riacho.pipelines.sql.catalogue.sources import Column, DataSource, FormatInfo, LogicalSchema, Namespace
from riacho.pipelines.sql.plan.planner import plan_query
from riacho.pipelines.sql.syntax import expressions as syntax
from riacho.pipelines.sql.syntax.statements import Query


def analyse_push(statement: Query, text: str, catalogue: Catalogue, settings: Settings, number: int) -> PushOutcome:
    query = analyse_query(statement, catalogue, settings, None)
    schema = LogicalSchema(tuple(Column(each.name, each.type) for each in query.values))
    keys = tuple(Column(each.name, each.type, Namespace.KEY) for each in query.keys)
    sink = DataSource(
        name="",
        kind=query.kind,
        schema=LogicalSchema((*keys, *schema.columns)),
        topic="",
        key_format=FormatInfo("JSON"),
        value_format=FormatInfo("JSON"),
    )
    plan = plan_query(query, sink, f"transient_{query.source.name}_{number}", text, settings, catalogue.types)
    return PushOutcome(
        plan,
        schema,
        query.source,
        statement.limit,
        _is_simple(query),
        tuple(each.expression for each in query.values),
        query.where,
        tuple(_key_column(query, each.expression) for each in query.values),
    )


def _key_column(query: AnalysedQuery, shown: syntax.Expression) -> str | None:
    if query.window is not None and isinstance(shown, syntax.Column) and shown.name in ("WINDOWSTART", "WINDOWEND"):
        return shown.name
    is_grouped = query.rekeying is Rekeying.GROUP_BY
    keys = {syntax.Column(key.name) if is_grouped else key.expression: key.name for key in query.keys}
    return keys.get(shown)


_SIMPLE = (
    syntax.Column,
    syntax.NullLiteral,
    syntax.BooleanLiteral,
    syntax.IntegerLiteral,
    syntax.LongLiteral,
    syntax.DoubleLiteral,
    syntax.DecimalLiteral,
    syntax.StringLiteral,
    syntax.Comparison,
    syntax.Logical,
    syntax.Not,
    syntax.IsNull,
    syntax.IsNotNull,
)


def _is_simple(query: AnalysedQuery) -> bool:
    """Columns as they are, and conditions that compare them: what a server can do with records it reads itself."""
    if query.rekeying is not Rekeying.NONE or query.table_functions:
        return False
    if any(not isinstance(each.expression, syntax.Column) for each in query.values):
        return False
    return query.where is None or all(isinstance(node, _SIMPLE) for node in walk(query.where))
