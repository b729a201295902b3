"""GROUP BY: rows with their group's key and their aggregates' arguments, a task, and the select list over its results.

stream:  read -> group -> task -> results -> select
table:   row by key -> materialise -> changes -> groups of old and new -> one row each -> task -> results -> select
"""

from __future__ import annotations

from riacho.pipelines.sql.analysis.analysed import AnalysedQuery, ResultColumn
from riacho.pipelines.sql.analysis.typing_of import Compiler
from riacho.pipelines.sql.plan.frames import all_of, read_rows, row_of, same, value_of
from riacho.pipelines.sql.plan.scopes import NO_HEADERS, FrameScope, read_scope, result_scope, row_scope
from riacho.pipelines.sql.plan.steps import Project, Task
from riacho.pipelines.sql.plan.table_filter import extra_columns, materialised
from riacho.pipelines.sql.row_json import parsed_row
from riacho.pipelines.sql.syntax.statements import Emit
from riacho.pipelines.sql.types import Field
from riacho.pipelines.tasks.spec import TaskSpec


def grouped_stream_steps(query: AnalysedQuery, compiler: Compiler, every_change: bool) -> tuple[Project | Task, ...]:
    scope = read_scope(query.source)
    where = None
    if query.where is not None:
        where = all_of(["v IS NOT NULL", compiler.compile(query.where, scope).text])
    # A row without a group counts in none: its key is null, so that the task says it has dropped it.
    has_group = all_of(["v IS NOT NULL", *(f"({value_of(key, compiler, scope)}) IS NOT NULL" for key in query.keys)])
    group = Project(
        "group",
        (
            ("side", "''"),
            ("key", f"CASE WHEN {has_group} THEN {row_of(query.keys, compiler, scope)} END"),
            ("row", row_of(_arguments(query), compiler, scope)),
            ("undo", "CAST(NULL AS STRING)"),
            *same(("ts", "part", "off", "seq", "ws", "we")),
        ),
        where,
    )
    task = Task(_spec(query, every_change, is_over_table=False))
    return read_rows(query.source), group, task, *_result_steps(query, compiler)


def grouped_table_steps(query: AnalysedQuery, compiler: Compiler, every_change: bool) -> tuple[Project | Task, ...]:
    expressions = [each.expression for each in (*query.keys, *_arguments(query))]
    extra = extra_columns(query, [*expressions, *([query.where] if query.where is not None else [])])
    new, old = row_scope(query.source, "nr", extra), row_scope(query.source, "pr", extra)
    groups = Project(
        "groups",
        (
            ("new_key", _group_of(query, compiler, new, "new")),
            ("new_row", row_of(_arguments(query), compiler, new)),
            ("old_key", _group_of(query, compiler, old, "old")),
            ("old_row", row_of(_arguments(query), compiler, old)),
            *same(("ts", "seq")),
        ),
    )
    split = Project("split", (("change", f"explode({_CHANGES})"), *same(("ts", "seq"))))
    rows = Project(
        "rows by group",
        (
            ("side", "''"),
            ("key", "change.key"),
            ("row", "change.row"),
            ("undo", "change.undo"),
            ("ts", "ts"),
            ("part", "0"),
            ("off", "CAST(0 AS BIGINT)"),
            ("seq", "seq * 2 + change.i"),
            ("ws", "CAST(NULL AS BIGINT)"),
            ("we", "CAST(NULL AS BIGINT)"),
        ),
    )
    task = Task(_spec(query, every_change, is_over_table=True))
    first = materialised(query.source, extra, compiler, every_change)
    return *first, groups, split, rows, task, *_result_steps(query, compiler)


# What a row was is taken back from its group before what it is now is added to its own; in one row where both are of
# one group, since that is one change (KIP-904).
_CHANGES = (
    "filter(CASE WHEN old_key = new_key THEN array("
    "named_struct('i', 0, 'key', new_key, 'row', new_row, 'undo', old_row)) ELSE array("
    "named_struct('i', 0, 'key', old_key, 'row', CAST(NULL AS STRING), 'undo', old_row), "
    "named_struct('i', 1, 'key', new_key, 'row', new_row, 'undo', CAST(NULL AS STRING))) END, "
    "_c -> _c.key IS NOT NULL)"
)


def _group_of(query: AnalysedQuery, compiler: Compiler, scope: FrameScope, row: str) -> str:
    """The key of a row's group; null where it is in none."""
    where = compiler.compile(query.where, scope).text if query.where is not None else None
    has_group = [f"({value_of(key, compiler, scope)}) IS NOT NULL" for key in query.keys]
    condition = all_of([f"{row} IS NOT NULL", where, *has_group])
    return f"CASE WHEN {condition} THEN {row_of(query.keys, compiler, scope)} END"


def _arguments(query: AnalysedQuery) -> list[ResultColumn]:
    assert query.aggregation is not None
    found = {each.name: each for call in query.aggregation.calls for each in call.arguments}
    return list(found.values())


def _spec(query: AnalysedQuery, every_change: bool, *, is_over_table: bool) -> TaskSpec:
    aggregation = query.aggregation
    assert aggregation is not None
    kind = "aggregate"
    if aggregation.window is not None:
        kind = "session" if aggregation.window.kind == "SESSION" else "window"
    return TaskSpec(
        kind=kind,
        aggregates=tuple(call.spec for call in aggregation.calls),
        window=aggregation.window,
        emit_final=query.emit is Emit.FINAL,
        emit_every_change=every_change,
        is_over_table=is_over_table,
    )


def _result_steps(query: AnalysedQuery, compiler: Compiler) -> tuple[Project, ...]:
    aggregation = query.aggregation
    assert aggregation is not None
    keys = {key.name: key.type for key in query.keys}
    results = {call.spec.name: call.result_type for call in aggregation.calls}
    fields = [Field(name, kind) for name, kind in results.items()]
    new = result_scope(keys, results, "nr")
    read = Project(
        "results",
        (
            ("kr", parsed_row("key", [Field(name, kind) for name, kind in keys.items()])),
            ("nr", parsed_row("new", fields)),
            ("pr", parsed_row("old", fields)),
            *same(("key", "old", "new", "ws", "we", "ts", "seq")),
        ),
    )
    passes, where = "new IS NOT NULL", None
    if aggregation.having is not None:
        old = result_scope(keys, results, "pr")
        passes = f"coalesce(new IS NOT NULL AND ({compiler.compile(aggregation.having, new).text}), false)"
        passed = f"coalesce(old IS NOT NULL AND ({compiler.compile(aggregation.having, old).text}), false)"
        where = f"{passes} OR {passed}"
    select = Project(
        "select",
        (
            ("k", "key"),
            ("v", f"CASE WHEN {passes} THEN {row_of(query.values, compiler, new)} END"),
            ("ts", "ts"),
            ("headers", NO_HEADERS),
            *same(("ws", "we", "seq")),
        ),
        where,
    )
    return read, select
