"""Aggregations: what a select list with GROUP BY may hold, and which aggregates it is computed from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from riacho.pipelines.sql.analysis.aggregate_binding import Aggregates, bind_aggregate
from riacho.pipelines.sql.analysis.analysed import AggregateCall, Aggregation, ResultColumn
from riacho.pipelines.sql.analysis.as_value import without_as_value
from riacho.pipelines.sql.analysis.keys import joined
from riacho.pipelines.sql.analysis.names import window_bounds_refusal
from riacho.pipelines.sql.analysis.select_list import Selected
from riacho.pipelines.sql.analysis.source_columns import WINDOW_BOUNDS
from riacho.pipelines.sql.analysis.syntax_walk import calls, rewrite, walk
from riacho.pipelines.sql.analysis.typing_of import Compiler
from riacho.pipelines.sql.analysis.windows import window_spec
from riacho.pipelines.sql.catalogue.sources import DataSource
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions.wording import wording
from riacho.pipelines.sql.syntax.expressions import Column, Expression, FunctionCall
from riacho.pipelines.sql.syntax.statements import Query
from riacho.pipelines.sql.types import BIGINT, SqlType
from riacho.pipelines.tasks.spec import AggregateSpec

AGGREGATES_MAX = 1_000


def aggregate_names(expression: Expression, aggregates: Aggregates) -> list[str]:
    """The names of the aggregates that are called in an expression."""
    return [call.name for call in calls(expression) if call.name in aggregates]


def refuse_aggregates(expression: Expression, aggregates: Aggregates, clause: str) -> None:
    for call in calls(expression):
        if call.name in aggregates:
            raise KsqlError(f"{clause} does not support aggregate functions: {call.name} is an aggregate function.")


def analyse_aggregation(
    query: Query,
    keys: Sequence[ResultColumn],
    selected: Sequence[Selected],
    having: Expression | None,
    types: Mapping[str, SqlType],
    compiler: Compiler,
    aggregates: Aggregates,
    is_over_table: bool,
    has_window_bounds: bool,
    keeps_keys: bool,
) -> tuple[Aggregation, tuple[ResultColumn, ...]]:
    """The aggregation, and the value columns of its result. `keeps_keys`: key columns are among the values too, for a
    query without a sink."""
    rewriting = _Rewriting(keys, types, compiler, aggregates, has_window_bounds)
    key_expressions = [key.expression for key in keys]
    rewritten = [
        (each, rewriting.rewrite(each.expression))
        for each in selected
        if keeps_keys or each.expression not in key_expressions
    ]
    condition = rewriting.rewrite(having) if having is not None else None
    result_types = rewriting.result_types()
    if condition is not None:
        compiler.refuse_no_condition(condition, result_types, "HAVING")
    values = tuple(
        ResultColumn(each.name, expression, compiler.selected_type(expression, result_types))
        for each, expression in rewritten
    )
    window = window_spec(query.window) if query.window is not None else None
    if is_over_table:
        _refuse_no_undo(rewriting.calls, aggregates)
    return Aggregation(tuple(rewriting.calls), condition, window), values


def refuse_ungrouped(
    selected: Sequence[Selected],
    having: Expression | None,
    keys: Sequence[Expression],
    aggregates: Aggregates,
    makes_windows: bool,
) -> None:
    """What is selected is grouped by or aggregated, and there are aggregates."""
    expressions = [*(each.expression for each in selected), *([having] if having is not None else [])]
    if not any(aggregate_names(each, aggregates) for each in expressions):
        raise KsqlError("GROUP BY requires aggregate functions in either the SELECT or HAVING clause.")
    loose = _Loose(keys, aggregates, makes_windows)
    found = [wording(each.expression) for each in selected if loose.columns(each.expression)]
    if found:
        raise KsqlError(
            f"Non-aggregate SELECT expression(s) not part of GROUP BY: {', '.join(found)}\n"
            "Either add the column(s) to the GROUP BY or remove them from the SELECT."
        )
    if having is not None and loose.columns(having):
        raise KsqlError(f"Non-aggregate HAVING expression not part of GROUP BY: {', '.join(loose.columns(having))}")


def _refuse_window_bounds(expression: Expression) -> None:
    for node in walk(expression):
        if isinstance(node, Column) and node.name in WINDOW_BOUNDS:
            raise window_bounds_refusal(node.name)


class _Rewriting:
    """Expressions over the source become expressions over the group's key and its aggregates."""

    def __init__(
        self,
        keys: Sequence[ResultColumn],
        types: Mapping[str, SqlType],
        compiler: Compiler,
        aggregates: Aggregates,
        has_window_bounds: bool,
    ) -> None:
        self._keys = keys
        self._types = types
        self._compiler = compiler
        self._aggregates = aggregates
        self._has_window_bounds = has_window_bounds
        self._arguments: dict[Expression, ResultColumn] = {}
        self._by_call: dict[FunctionCall, AggregateCall] = {}

    @property
    def calls(self) -> list[AggregateCall]:
        return list(self._by_call.values())

    def result_types(self) -> Mapping[str, SqlType]:
        found: dict[str, SqlType] = {key.name: key.type for key in self._keys}
        found |= {call.spec.name: call.result_type for call in self.calls}
        return found | dict.fromkeys(WINDOW_BOUNDS, BIGINT)

    def rewrite(self, expression: Expression) -> Expression:
        return rewrite(without_as_value(expression), self._change)

    def _change(self, node: Expression) -> Expression | None:
        for key in self._keys:
            if node == key.expression:
                return Column(key.name)
        if isinstance(node, FunctionCall) and node.name in self._aggregates:
            return Column(self._call(node).spec.name)
        return None

    def _call(self, node: FunctionCall) -> AggregateCall:
        known = self._by_call.get(node)
        if known is not None:
            return known
        if len(self._by_call) >= AGGREGATES_MAX:
            raise KsqlError(f"A query has {AGGREGATES_MAX} aggregates at most.")
        for argument in node.arguments:
            if aggregate_names(argument, self._aggregates):
                raise KsqlError(f"Aggregate functions can not be nested: {wording(node)}")
            if not self._has_window_bounds:
                # Those of the window that the query makes are not known when a row is added.
                _refuse_window_bounds(argument)
        bound = bind_aggregate(node, self._types, self._compiler, self._aggregates)
        columns = tuple(self._argument(expression, kind) for expression, kind in bound.columns)
        spec = AggregateSpec(
            name=f"KSQL_AGG_VARIABLE_{len(self._by_call)}",
            function=bound.function,
            arguments=tuple(column.name for column in columns),
            types=tuple(str(column.type) for column in columns),
            result_type=str(bound.result_type),
            settings=bound.settings,
        )
        call = AggregateCall(spec, columns, bound.result_type)
        self._by_call[node] = call
        return call

    def _argument(self, expression: Expression, kind: SqlType) -> ResultColumn:
        known = self._arguments.get(expression)
        if known is None or known.type != kind:
            known = ResultColumn(f"KSQL_INTERNAL_COL_{len(self._arguments)}", expression, kind)
            self._arguments[expression] = known
        return known


class _Loose:
    """Finds columns outside of aggregates and of expressions that are grouped by."""

    def __init__(self, keys: Sequence[Expression], aggregates: Aggregates, makes_windows: bool) -> None:
        self._keys = keys
        self._aggregates = aggregates
        # The bounds of the query's own window are a part of each group.
        self._bounds = WINDOW_BOUNDS if makes_windows else ()

    def columns(self, expression: Expression) -> list[str]:
        found: list[str] = []

        def change(node: Expression) -> Expression | None:
            if node in self._keys or (isinstance(node, FunctionCall) and node.name in self._aggregates):
                return node
            if isinstance(node, Column) and node.name not in self._bounds:
                found.append(node.name)
            return None

        rewrite(expression, change)
        return found


def _refuse_no_undo(found: Sequence[AggregateCall], aggregates: Aggregates) -> None:
    called = dict.fromkeys(call.spec.function for call in found)
    names = [name for name in called if not aggregates[name].can_undo]
    if names:
        raise KsqlError(
            f"The aggregation function{'s' if len(names) > 1 else ''} {joined(names)} cannot be applied to a table "
            "source, only to a stream source."
        )


# Aggregates whose state ksqlDB keeps as an array, a map or a struct in the source's value format.
_COMPOUND = frozenset(
    {
        "ATTR",
        "AVG",
        "COLLECT_LIST",
        "COLLECT_SET",
        "CORRELATION",
        "COUNT_DISTINCT",
        "EARLIEST_BY_OFFSET",
        "HISTOGRAM",
        "LATEST_BY_OFFSET",
        "STDDEV_SAMP",
        "STDDEV_SAMPLE",
        "TOPK",
        "TOPKDISTINCT",
    }
)


def refuse_unstorable(aggregation: Aggregation, source: DataSource) -> None:
    """Our state is kept in one form whatever a source's format is, but who writes for ksqlDB expects the refusal."""
    if source.value_format.name == "DELIMITED" and any(call.spec.function in _COMPOUND for call in aggregation.calls):
        raise KsqlError(
            "One of the functions used in the statement has an intermediate type that the value format can not handle. "
            "Please remove the function or change the format."
        )
