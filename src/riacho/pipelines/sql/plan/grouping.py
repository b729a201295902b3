"""GROUP BY: rows with their group's key and their aggregates' arguments, a task, and the select list over its results.

stream:  read -> group -> task -> results -> select, or with Spark's own aggregation in the task's place
table:   row by key -> materialise -> changes -> groups of old and new -> one row each -> task -> results -> select
"""

from __future__ import annotations

from riacho.pipelines.sql.analysis.analysed import AnalysedQuery, ResultColumn
from riacho.pipelines.sql.analysis.typing_of import Compiler
from riacho.pipelines.sql.plan.frames import all_of, read_rows, row_of, same, value_of
from riacho.pipelines.sql.plan.native_aggregation import native_columns, native_result, why_a_task
from riacho.pipelines.sql.plan.scopes import NO_HEADERS, FrameScope, read_scope, result_scope, row_scope
from riacho.pipelines.sql.plan.steps import Aggregate, Project, Step, Task
from riacho.pipelines.sql.plan.table_filter import extra_columns, materialised
from riacho.pipelines.sql.row_json import parsed_row, sql_string
from riacho.pipelines.sql.syntax.statements import Emit
from riacho.pipelines.sql.types import Field
from riacho.pipelines.tasks.spec import TaskSpec


def grouped_stream_steps(
    query: AnalysedQuery, compiler: Compiler, every_change: bool, why_a_task_anyway: str | None = None
) -> tuple[Step, ...]:
    """Spark's own aggregation where it gives the same, unless there is a reason for a task besides."""
    assert query.aggregation is not None
    scope = read_scope(query.source)
    where = None
    if query.where is not None:
        where = all_of(["v IS NOT NULL", compiler.compile(query.where, scope).text])
    # A row without a group counts in none: its key is null, so that the task says it has dropped it.
    has_group = all_of(["v IS NOT NULL", *(f"({value_of(key, compiler, scope)}) IS NOT NULL" for key in query.keys)])
    key = f"CASE WHEN {has_group} THEN {row_of(query.keys, compiler, scope)} END"
    row = row_of(_arguments(query), compiler, scope)
    spec = _spec(query, every_change, is_over_table=False)
    reason = why_a_task(spec, has_having=query.aggregation.having is not None) or why_a_task_anyway
    if reason is None:
        arguments = {
            each.name: (f"a{at}", value_of(each, compiler, scope)) for at, each in enumerate(_arguments(query))
        }
        left_out = ("left_out", f"CASE WHEN {has_group} THEN NULL ELSE {row} END")
        grouped = Project("group", (("key", key), left_out, ("ts", "ts"), *arguments.values()), where)
        columns = native_columns(spec.aggregates, {name: column for name, (column, _) in arguments.items()})
        aggregate = Aggregate(spec.aggregates, columns)
        return read_rows(query.source), grouped, aggregate, *_native_result_steps(query, compiler)
    group = Project(
        "group",
        (
            ("side", "''"),
            ("key", key),
            ("row", row),
            ("undo", "CAST(NULL AS STRING)"),
            *same(("ts", "part", "off", "seq", "ws", "we")),
        ),
        where,
    )
    return read_rows(query.source), group, Task(spec, reason), *_result_steps(query, compiler)


def grouped_table_steps(query: AnalysedQuery, compiler: Compiler, every_change: bool) -> tuple[Step, ...]:
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
    spec = _spec(query, every_change, is_over_table=True)
    task = Task(spec, why_a_task(spec) or "")
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


def _native_result_steps(query: AnalysedQuery, compiler: Compiler) -> tuple[Project, ...]:
    """As `_result_steps`, where there is nothing old and new is never a tombstone."""
    aggregation = query.aggregation
    assert aggregation is not None
    keys = {key.name: key.type for key in query.keys}
    results = {call.spec.name: call.result_type for call in aggregation.calls}
    fields = ", ".join(
        f"{sql_string(call.spec.name)}, {native_result(call.spec, at)}" for at, call in enumerate(aggregation.calls)
    )
    read = Project(
        "results",
        (
            ("kr", parsed_row("key", [Field(name, kind) for name, kind in keys.items()])),
            ("nr", f"named_struct({fields})"),
            *same(("key", "ts")),
        ),
    )
    no_window, no_order = "CAST(NULL AS BIGINT)", "CAST(0 AS BIGINT)"
    select = Project(
        "select",
        (
            ("k", "key"),
            ("v", row_of(query.values, compiler, result_scope(keys, results, "nr"))),
            ("ts", "ts"),
            ("headers", NO_HEADERS),
            ("ws", no_window),
            ("we", no_window),
            ("seq", no_order),
        ),
    )
    return read, select
