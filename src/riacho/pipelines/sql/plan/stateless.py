"""Queries without state: a stream's records one by one, or a table's changes without a condition.

read -> [elements of table functions -> one row an element ->] select
"""

from __future__ import annotations

from riacho.pipelines.sql.analysis.analysed import AnalysedQuery, Rekeying, ResultColumn
from riacho.pipelines.sql.analysis.typing_of import Compiler
from riacho.pipelines.sql.expressions.scope import Resolved
from riacho.pipelines.sql.plan.frames import RECORD, all_of, read_rows, row_of, same, value_of
from riacho.pipelines.sql.plan.scopes import FrameScope, read_scope
from riacho.pipelines.sql.plan.steps import Project
from riacho.pipelines.sql.syntax.expressions import Column

# Rows of one record keep its place in the order: its number, then theirs.
ELEMENTS_A_RECORD = 1_048_576


def stateless_steps(query: AnalysedQuery, compiler: Compiler) -> tuple[Project, ...]:
    scope = read_scope(query.source)
    read = read_rows(query.source)
    if query.table_functions:
        return (read, *_flat_steps(query, compiler, scope))
    # A condition about a row that is not there is not true: records without a value go.
    where = None
    if query.where is not None:
        where = all_of(["v IS NOT NULL", compiler.compile(query.where, scope).text])
    return (read, _select(query, compiler, scope, "select", where))


def _select(query: AnalysedQuery, compiler: Compiler, scope: FrameScope, name: str, where: str | None) -> Project:
    value = f"CASE WHEN v IS NOT NULL THEN {row_of(query.values, compiler, scope)} END"
    bounds = (("ws", "ws"), ("we", "we")) if query.rekeying is Rekeying.NONE else _NO_WINDOW
    return Project(
        name,
        (
            ("k", _key(query, compiler, scope)),
            ("v", value),
            ("ts", "ts"),
            ("headers", "headers"),
            *bounds,
            ("seq", "seq"),
        ),
        where,
    )


_NO_WINDOW = (("ws", "CAST(NULL AS BIGINT)"), ("we", "CAST(NULL AS BIGINT)"))


def _key(query: AnalysedQuery, compiler: Compiler, scope: FrameScope) -> str:
    if not query.keys:
        return "CAST(NULL AS STRING)"
    if query.rekeying is Rekeying.NONE:
        if all(_is_same(each) for each in query.keys):
            return "k"
        return f"CASE WHEN k IS NOT NULL THEN {row_of(query.keys, compiler, scope)} END"
    row = row_of(query.keys, compiler, scope)
    if len(query.keys) == 1:
        # One column that is null is a null key.
        return f"CASE WHEN ({value_of(query.keys[0], compiler, scope)}) IS NOT NULL THEN {row} END"
    return row


def _is_same(column: ResultColumn) -> bool:
    return isinstance(column.expression, Column) and column.expression.name == column.name


def _flat_steps(query: AnalysedQuery, compiler: Compiler, scope: FrameScope) -> tuple[Project, ...]:
    """Several functions go side by side: the longest says how many rows there are, the others give nulls behind their
    ends."""
    condition = compiler.compile(query.where, scope).text if query.where is not None else None
    arrays = tuple(
        (f"f{index}", f"coalesce({compiler.compile(each.call, scope).text}, array())")
        for index, each in enumerate(query.table_functions)
    )
    kept = same(("kr", "vr", "k", "v", *RECORD))
    elements = Project("elements", (*kept, *arrays), all_of(["v IS NOT NULL", condition]))
    names = [name for name, _ in arrays]
    numbered = f"transform(arrays_zip({', '.join(names)}), (_e, _i) -> named_struct('i', _i, 'e', _e))"
    one_each = Project("flatten", (*kept, ("item", f"explode({numbered})")))
    placed = Project(
        "place",
        (
            *same(("kr", "vr", "k", "v", *(name for name in RECORD if name != "seq"))),
            ("seq", f"seq * {ELEMENTS_A_RECORD} + item.i"),
            ("item", "item"),
        ),
    )
    flat = scope.with_columns(
        {each.name: Resolved(f"item.e.f{index}", each.type) for index, each in enumerate(query.table_functions)}
    )
    return elements, one_each, placed, _select(query, compiler, flat, "select", None)
