"""Columns that the projections of a plan pass on, and the projections that read rows."""

from __future__ import annotations

from collections.abc import Sequence

from riacho.pipelines.sql.analysis.analysed import ResultColumn
from riacho.pipelines.sql.analysis.typing_of import Compiler
from riacho.pipelines.sql.catalogue.sources import DataSource
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions.coercion import coerce
from riacho.pipelines.sql.expressions.scope import Scope
from riacho.pipelines.sql.plan.steps import Project
from riacho.pipelines.sql.row_json import parsed_row, row_text
from riacho.pipelines.sql.types import Field

# Fields of structs repeat the expression that gives the struct: what is nested can become large.
ROW_TEXT_MAX = 4 * 1024 * 1024

RECORD = ("ts", "part", "off", "headers", "ws", "we", "seq")
"""What a record has besides its key and its value."""


def same(names: Sequence[str]) -> tuple[tuple[str, str], ...]:
    return tuple((name, name) for name in names)


def read_rows(source: DataSource) -> Project:
    """Key and value of each record as structs."""
    columns = (
        ("kr", parsed_row("k", [column.field for column in source.schema.key]))
        if source.schema.key
        else ("kr", "NULL"),
        ("vr", parsed_row("v", [column.field for column in source.schema.value]))
        if source.schema.value
        else ("vr", "NULL"),
        ("k", "k"),
        ("v", "v"),
        *same(RECORD),
    )
    return Project("read", columns)


def row_of(columns: Sequence[ResultColumn], compiler: Compiler, scope: Scope) -> str:
    """The row JSON of columns that are computed in a frame."""
    text = row_text([(Field(each.name, each.type), value_of(each, compiler, scope)) for each in columns])
    if len(text) > ROW_TEXT_MAX:
        raise KsqlError("The expressions of the select list are too large together.")
    return text


def value_of(column: ResultColumn, compiler: Compiler, scope: Scope) -> str:
    return coerce(compiler.compile(column.expression, scope), column.type).text


def all_of(conditions: Sequence[str | None]) -> str | None:
    found = [f"({condition})" for condition in conditions if condition]
    return " AND ".join(found) or None
