"""Table functions (EXPLODE and its like): where they may stand, and a name for the element each gives a row."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from riacho.pipelines.sql.analysis.analysed import TableFunction
from riacho.pipelines.sql.analysis.select_list import Selected
from riacho.pipelines.sql.analysis.syntax_walk import calls, parts, rewrite, walk
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions.wording import wording
from riacho.pipelines.sql.functions.registry import Registry
from riacho.pipelines.sql.syntax.expressions import Column, Expression, FunctionCall, SearchedCase, SimpleCase
from riacho.pipelines.sql.types import Array, SqlType


def is_table_function(call: FunctionCall, functions: Registry) -> bool:
    found = functions.find(call.name)
    return found is not None and found.kind == "TABLE"


def has_table_function(expression: Expression, functions: Registry) -> bool:
    return any(is_table_function(call, functions) for call in calls(expression))


def extract_table_functions(
    selected: Sequence[Selected],
    functions: Registry,
    type_of: Callable[[Expression], SqlType | None],
) -> tuple[tuple[Selected, ...], tuple[TableFunction, ...]]:
    """The select list with a column in place of each call, and the calls. Two equal calls are two."""
    found: list[TableFunction] = []

    def change(node: Expression) -> Expression | None:
        if not (isinstance(node, FunctionCall) and is_table_function(node, functions)):
            return None
        _refuse_nested(node, functions)
        kind = type_of(node)
        name = f"KSQL_SYNTH_{len(found)}"
        found.append(TableFunction(name, node, _element(node, kind)))
        return Column(name, at=node.at)

    def item(each: Selected) -> Selected:
        _refuse_in_case(each.expression, functions)
        return Selected(each.name, rewrite(each.expression, change), each.is_named)

    return tuple(item(each) for each in selected), tuple(found)


def _element(call: FunctionCall, kind: SqlType | None) -> SqlType:
    """A table function's SQL gives an array; its elements are the rows."""
    if isinstance(kind, Array):
        return kind.item
    raise KsqlError(f"Can't determine the type of the rows of {wording(call)}.")


def _refuse_nested(call: FunctionCall, functions: Registry) -> None:
    for argument in call.arguments:
        for inner in calls(argument):
            if is_table_function(inner, functions):
                raise KsqlError(f"Table functions cannot be nested: {call.name}({inner.name}())")


def _refuse_in_case(expression: Expression, functions: Registry) -> None:
    for node in walk(expression):
        if isinstance(node, SimpleCase | SearchedCase) and any(
            has_table_function(part, functions) for part in parts(node)
        ):
            raise KsqlError("Table functions cannot be used in CASE")


def refuse_table_functions(expression: Expression | None, functions: Registry, clause: str) -> None:
    if expression is None:
        return
    for call in calls(expression):
        if is_table_function(call, functions):
            raise KsqlError(f"Table functions cannot be used in {clause}: {wording(call)}")
