"""A table with WHERE: what passes is a row, what passed before and passes no more is a tombstone, the rest is nothing.

row by key -> materialise -> changes -> select
"""

from __future__ import annotations

from collections.abc import Sequence

from riacho.pipelines.sql.analysis.analysed import AnalysedQuery, ResultColumn
from riacho.pipelines.sql.analysis.names import PSEUDO_TYPES
from riacho.pipelines.sql.analysis.source_columns import PSEUDO_COLUMNS
from riacho.pipelines.sql.analysis.syntax_walk import walk
from riacho.pipelines.sql.analysis.typing_of import Compiler
from riacho.pipelines.sql.catalogue.sources import DataSource
from riacho.pipelines.sql.plan.frames import read_rows, row_of, same
from riacho.pipelines.sql.plan.scopes import NO_HEADERS, read_scope, row_scope
from riacho.pipelines.sql.plan.steps import Project, Step, Task
from riacho.pipelines.sql.row_json import parsed_row
from riacho.pipelines.sql.syntax.expressions import Column, Expression
from riacho.pipelines.sql.types import Field, SqlType
from riacho.pipelines.tasks.spec import TaskSpec


def filtered_table_steps(query: AnalysedQuery, compiler: Compiler, every_change: bool) -> tuple[Step, ...]:
    assert query.where is not None
    extra = extra_columns(query, [query.where, *(each.expression for each in query.values)])
    new, old = row_scope(query.source, "nr", extra), row_scope(query.source, "pr", extra)
    passes = f"coalesce(new IS NOT NULL AND ({compiler.compile(query.where, new).text}), false)"
    passed = f"coalesce(old IS NOT NULL AND ({compiler.compile(query.where, old).text}), false)"
    is_same_key = all(isinstance(each.expression, Column) and each.expression.name == each.name for each in query.keys)
    select = Project(
        "select",
        (
            ("k", "key" if is_same_key else row_of(query.keys, compiler, new)),
            ("v", f"CASE WHEN {passes} THEN {row_of(query.values, compiler, new)} END"),
            ("ts", "ts"),
            ("headers", NO_HEADERS),
            *same(("ws", "we", "seq")),
        ),
        f"{passes} OR {passed}",
    )
    return (*materialised(query.source, extra, compiler, every_change), select)


def extra_columns(query: AnalysedQuery, expressions: Sequence[Expression]) -> tuple[str, ...]:
    """Columns that are no values of the table but have to be remembered with its rows: times, partitions, headers."""
    named = {node.name for each in expressions for node in walk(each) if isinstance(node, Column)}
    headers = [column.name for column in query.source.schema.headers]
    return tuple(name for name in (*PSEUDO_COLUMNS, *headers) if name in named)


def materialised(source: DataSource, extra: Sequence[str], compiler: Compiler, every_change: bool) -> tuple[Step, ...]:
    """A table's changes, with the structs `kr`, `nr` and `pr`. Rows without a key are the task's to drop and count."""
    columns = [column.field for column in source.schema.value]
    kept = [Field(name, _type(source, name)) for name in extra]
    task = Task(TaskSpec("materialise", emit_every_change=every_change))
    changes = Project(
        "changes",
        (
            ("kr", parsed_row("key", [column.field for column in source.schema.key])),
            ("nr", parsed_row("new", [*columns, *kept])),
            ("pr", parsed_row("old", [*columns, *kept])),
            *same(("key", "old", "new", "ws", "we", "ts", "seq")),
        ),
    )
    if not kept:
        return Project("rows", (("side", "''"), ("key", "k"), ("row", "v"), *_REST)), task, changes
    scope = read_scope(source)
    row = [ResultColumn(each.name, Column(each.name), each.type) for each in (*columns, *kept)]
    text = f"CASE WHEN v IS NOT NULL THEN {row_of(row, compiler, scope)} END"
    rows = Project("rows", (("side", "''"), ("key", "k"), ("row", text), *_REST))
    return read_rows(source), rows, task, changes


_REST = (("undo", "CAST(NULL AS STRING)"), *same(("ts", "part", "off", "seq", "ws", "we")))


def _type(source: DataSource, name: str) -> SqlType:
    column = source.schema.find(name)
    return column.type if column is not None else PSEUDO_TYPES[name]
