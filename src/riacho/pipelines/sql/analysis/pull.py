"""Pull queries: SELECT without EMIT, answered from what is known of a table or stream now.

Every condition is held against the rows found; what is taken out of WHERE here are the keys and window bounds by which
rows are found without looking at all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from riacho.pipelines.sql.analysis.aggregate_binding import Aggregates
from riacho.pipelines.sql.analysis.aggregates import aggregate_names, analyse_aggregation, refuse_ungrouped
from riacho.pipelines.sql.analysis.aliases import AliasGenerator
from riacho.pipelines.sql.analysis.analysed import Aggregation, ResultColumn
from riacho.pipelines.sql.analysis.constant_casts import converted
from riacho.pipelines.sql.analysis.constants import Constants
from riacho.pipelines.sql.analysis.magic_times import with_times
from riacho.pipelines.sql.analysis.names import NamedSource, Names
from riacho.pipelines.sql.analysis.outcomes import PullOutcome, SelectedValue, WindowBounds
from riacho.pipelines.sql.analysis.pull_bounds import conjuncts, key_lookups, window_bounds
from riacho.pipelines.sql.analysis.select_list import Selected, select_list, source_columns
from riacho.pipelines.sql.analysis.settings import Settings
from riacho.pipelines.sql.analysis.table_functions import has_table_function
from riacho.pipelines.sql.analysis.type_names import resolve_type
from riacho.pipelines.sql.analysis.typing_of import Compiler
from riacho.pipelines.sql.catalogue.catalogue import Catalogue
from riacho.pipelines.sql.catalogue.sources import DataSource
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.syntax.expressions import Expression
from riacho.pipelines.sql.syntax.statements import Kind, Query
from riacho.pipelines.sql.types import BIGINT, SqlType

_HINT = (
    "\nPull queries don't support {what}. See https://cnfl.io/queries for more info.\nAdd EMIT CHANGES if you intended "
    "to issue a push query."
)


def analyse_pull(query: Query, catalogue: Catalogue, settings: Settings) -> PullOutcome:
    source = catalogue.source(query.source.name)
    for join in query.joins:
        catalogue.source(join.right.name)
    _refuse_clauses(query, settings)
    names = Names((NamedSource(query.source.alias or source.name, source),))
    types = names.types()
    compiler = Compiler(settings.functions, catalogue.types)
    selected = select_list(
        query.select, names, lambda: source_columns(names, True), lambda each: compiler.type_of(each, types)
    )
    _refuse_functions(selected, settings)
    grouping = _Grouping(query, names, compiler, settings.aggregates, selected) if settings.pulls_aggregates else None
    where = with_times(names.resolve(query.where, "WHERE")) if query.where is not None else None
    keys: tuple[Mapping[str, Any], ...] | None = None
    bounds = WindowBounds()
    if where is not None:
        compiler.refuse_no_condition(where, types, "WHERE")
        constants = Constants(partial(resolve_type, types=catalogue.types), compiler, settings.evaluate)
        value = partial(_constant, constants)
        keys = key_lookups(conjuncts(where), source, value)
        bounds = window_bounds(conjuncts(where), value) if source.window is not None else bounds
    _refuse_scan(source, keys, settings)
    return PullOutcome(
        source=source,
        select=grouping.select
        if grouping is not None and grouping.aggregation is not None
        else tuple(_value(each, types, compiler) for each in selected),
        where=where,
        keys=keys,
        bounds=bounds,
        order_by=query.order_by,
        limit=query.limit,
        group_by=grouping.keys if grouping is not None else (),
        aggregation=grouping.aggregation if grouping is not None else None,
    )


class _Grouping:
    """GROUP BY and aggregates of a pull query, by the rules of streaming ones but for keys."""

    def __init__(
        self,
        query: Query,
        names: Names,
        compiler: Compiler,
        aggregates: Aggregates,
        selected: Sequence[Selected],
    ) -> None:
        self.keys: tuple[ResultColumn, ...] = ()
        self.aggregation: Aggregation | None = None
        self.select: tuple[SelectedValue, ...] = ()
        called = any(aggregate_names(each.expression, aggregates) for each in selected)
        if not query.group_by and query.having is None and not called:
            return
        types = names.types()
        generator = AliasGenerator(types)
        resolved = [names.resolve(each, "GROUP BY") for each in query.group_by]
        self.keys = tuple(
            ResultColumn(generator.alias(each), each, compiler.known_type_of(each, types)) for each in resolved
        )
        having = names.resolve(query.having, "HAVING") if query.having is not None else None
        refuse_ungrouped(selected, having, resolved, aggregates, makes_windows=False)
        self.aggregation, values = analyse_aggregation(
            query=query,
            keys=self.keys,
            selected=selected,
            having=having,
            types=types,
            compiler=compiler,
            aggregates=aggregates,
            is_over_table=False,
            has_window_bounds=True,
            keeps_keys=True,
        )
        self.select = tuple(SelectedValue(each.name, each.expression, each.type) for each in values)


def _constant(constants: Constants, expression: Expression, target: SqlType) -> Any:
    value, kind = constants.value(expression)
    if target == BIGINT and isinstance(value, str):
        return converted(value, kind, target, is_cast=True)
    return converted(value, kind, target)


def _value(each: Selected, types: Mapping[str, SqlType], compiler: Compiler) -> SelectedValue:
    return SelectedValue(each.name, each.expression, compiler.known_type_of(each.expression, types))


def _refuse_clauses(query: Query, settings: Settings) -> None:
    for is_there, what in (
        (bool(query.joins), "JOIN clauses"),
        (query.window is not None, "WINDOW clauses"),
        (bool(query.group_by) and not settings.pulls_aggregates, "GROUP BY clauses"),
        (bool(query.partition_by), "PARTITION BY clauses"),
        (query.having is not None and not settings.pulls_aggregates, "HAVING clauses"),
    ):
        if is_there:
            raise KsqlError(_HINT.format(what=what).lstrip("\n"))


def _refuse_functions(selected: Sequence[Selected], settings: Settings) -> None:
    for each in selected:
        if has_table_function(each.expression, settings.functions):
            raise KsqlError(_HINT.format(what="table functions").lstrip("\n"))
        if aggregate_names(each.expression, settings.aggregates) and not settings.pulls_aggregates:
            raise KsqlError(_HINT.format(what="aggregate functions").lstrip("\n"))


def _refuse_scan(source: DataSource, keys: object, settings: Settings) -> None:
    if source.kind is Kind.STREAM or keys is not None:
        return
    if settings.value_of("ksql.query.pull.table.scan.enabled", "true") == "false":
        key = ", ".join(column.name for column in source.schema.key)
        raise KsqlError(
            "WHERE clause missing key column for disjunct: a query without an equality condition on the key "
            f"({key}) reads the whole table, and ksql.query.pull.table.scan.enabled is false."
        )
