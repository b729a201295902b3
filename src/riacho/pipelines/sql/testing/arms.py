"""A frame of literal rows with projections over it, as one SQL text that can stand in a UNION ALL with others.

Rows go in as VALUES, so Spark folds most of what they come to while it plans. All arms have the same columns, whatever
their last projection is for: rows for a task, or records to encode.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from riacho.pipelines.sql.plan.steps import Project
from riacho.pipelines.sql.row_json import sql_string
from riacho.pipelines.tasks.changes import Change

_HEADERS_TYPE = "ARRAY<STRUCT<key: STRING, value: BINARY>>"
_TASK = ("key", "row", "undo", "side", "ts", "part", "off", "ws", "we", "seq")


class SourceRow(NamedTuple):
    """The frame after Decode."""

    k: str | None
    v: str | None
    ts: int
    off: int
    headers: tuple[tuple[str, bytes | None], ...]
    ws: int | None
    we: int | None
    seq: int


class ResultRow(NamedTuple):
    """Of either end: `key` and `row` are `k` and `v` before Encode."""

    key: str | None
    row: str | None
    undo: str | None
    side: str | None
    ts: int
    off: int
    ws: int | None
    we: int | None
    seq: int
    headers: tuple[tuple[str, bytes | None], ...]


@dataclass(frozen=True, slots=True)
class Arm:
    """`rows` are of one of the two kinds; `is_for_task` says what the last projection gives."""

    rows: Sequence[SourceRow] | Sequence[Change]
    projects: Sequence[Project]
    is_for_task: bool

    def sql(self, number: int) -> str:
        frame = self._literals()
        for project in self.projects:
            frame = project.sql(f"({frame})")
        return f"SELECT {number} AS arm, {_uniform(self.is_for_task)} FROM ({frame})"

    def _literals(self) -> str:
        if self.rows and isinstance(self.rows[0], Change):
            return _changes([row for row in self.rows if isinstance(row, Change)])
        return _records([row for row in self.rows if isinstance(row, SourceRow)])


def _records(rows: Sequence[SourceRow]) -> str:
    values = ", ".join(
        f"({_text(row.k)}, {_text(row.v)}, {row.ts}L, {row.off}L, {_headers(row.headers)}, "
        f"{_long(row.ws)}, {_long(row.we)}, {row.seq}L)"
        for row in rows
    )
    columns = (
        "CAST(col1 AS STRING) AS k, CAST(col2 AS STRING) AS v, col3 AS ts, 0 AS part, col4 AS off, "
        f"CAST(col5 AS {_HEADERS_TYPE}) AS headers, CAST(col6 AS BIGINT) AS ws, CAST(col7 AS BIGINT) AS we, col8 AS seq"
    )
    return f"SELECT {columns} FROM VALUES {values}"


def _changes(rows: Sequence[Change]) -> str:
    values = ", ".join(
        f"({_text(row.key)}, {_text(row.old)}, {_text(row.new)}, {row.time}L, "
        f"{_long(row.window_start)}, {_long(row.window_end)}, {row.seq}L)"
        for row in rows
    )
    columns = (
        "CAST(col1 AS STRING) AS key, CAST(col2 AS STRING) AS old, CAST(col3 AS STRING) AS new, col4 AS ts, "
        "CAST(col5 AS BIGINT) AS ws, CAST(col6 AS BIGINT) AS we, col7 AS seq"
    )
    return f"SELECT {columns} FROM VALUES {values}"


def _text(value: str | None) -> str:
    return "NULL" if value is None else sql_string(value)


def _long(value: int | None) -> str:
    return "NULL" if value is None else f"{value}L"


def _headers(headers: Sequence[tuple[str, bytes | None]]) -> str:
    if not headers:
        return f"CAST(array() AS {_HEADERS_TYPE})"
    each = ", ".join(
        f"named_struct('key', {sql_string(key)}, 'value', "
        + ("CAST(NULL AS BINARY))" if value is None else f"X'{value.hex()}')")
        for key, value in headers
    )
    return f"array({each})"


def _uniform(is_for_task: bool) -> str:
    if is_for_task:
        return ", ".join(_TASK) + f", CAST(NULL AS {_HEADERS_TYPE}) AS headers"
    return (
        "k AS key, v AS row, CAST(NULL AS STRING) AS undo, CAST(NULL AS STRING) AS side, ts, 0 AS part, "
        f"CAST(0 AS BIGINT) AS off, ws, we, seq, CAST(headers AS {_HEADERS_TYPE}) AS headers"
    )


def result_row(row: Any) -> ResultRow:
    """From a row of Spark's."""
    _, key, text, undo, side, ts, _, off, ws, we, seq, listed = row
    headers = tuple((name, None if value is None else bytes(value)) for name, value in listed or ())
    return ResultRow(key, text, undo, side, ts, off, ws, we, seq, headers)
