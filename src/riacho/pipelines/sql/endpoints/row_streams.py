"""Rows of a query as the bodies that clients read: arrays a line each, one JSON array, or ksqlDB's older objects."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import msgspec

from riacho.pipelines.sql.catalogue.sources import LogicalSchema
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.serving.pull import PullQuery
from riacho.pipelines.sql.serving.push import PushQuery
from riacho.pipelines.sql.serving.table_changes import ChangedRow, Tombstone
from riacho.pipelines.sql.types import quoted

_encode = msgspec.json.encode
LIMIT_REACHED = "Limit Reached"


def rows_of(query: PushQuery | PullQuery) -> AsyncIterator[list[list[Any]]]:
    return query.rows() if isinstance(query, PushQuery) else query.rows


async def close(query: PushQuery | PullQuery) -> None:
    if isinstance(query, PushQuery):
        await query.close()


def header(query: PushQuery | PullQuery) -> dict[str, Any]:
    schema = query.schema
    return {
        "queryId": query.query_id if isinstance(query, PushQuery) else None,
        "columnNames": [column.name for column in schema],
        "columnTypes": [str(column.type) for column in schema],
    }


def error_line(error: KsqlError) -> dict[str, Any]:
    """In a body that has begun, where no status can tell."""
    return {"@type": "generic_error", "error_code": 50000, "message": error.message}


async def delimited(query: PushQuery | PullQuery) -> AsyncIterator[bytes]:
    """/query-stream: the header, then one array a line, each sent as soon as it is there. Those of a push query come
    one by one: there are clients that take a piece of the body for a row."""
    try:
        yield _encode(header(query)) + b"\n"
        async for rows in rows_of(query):
            if isinstance(query, PushQuery):
                for row in rows:
                    yield _encode(row) + b"\n"
            else:
                yield b"".join(_encode(row) + b"\n" for row in rows)
    except KsqlError as error:
        yield _encode(error_line(error)) + b"\n"
    finally:
        await close(query)


async def json_array(query: PushQuery | PullQuery) -> AsyncIterator[bytes]:
    """/query-stream for application/json."""
    try:
        yield b"[" + _encode(header(query))
        async for rows in rows_of(query):
            yield b"".join(b",\n" + _encode(row) for row in rows)
    except KsqlError as error:
        yield b",\n" + _encode(error_line(error))
    finally:
        await close(query)
    yield b"]\n"


async def streamed_rows(query: PushQuery | PullQuery) -> AsyncIterator[bytes]:
    """/query: an array of objects. Rows that were deleted are shown here only, as in ksqlDB: the other forms have no
    place for the mark."""
    try:
        query_id = query.query_id if isinstance(query, PushQuery) else None
        yield b"[" + _encode({"header": {"queryId": query_id, "schema": schema_text(query.schema)}})
        async for rows in query.changes() if isinstance(query, PushQuery) else query.rows:
            yield b"".join(b",\n" + _encode({"row": _row_object(row)}) for row in rows)
        if isinstance(query, PushQuery) and query.is_limit_reached:
            yield b",\n" + _encode({"finalMessage": LIMIT_REACHED})
    except KsqlError as error:
        yield b",\n" + _encode({"errorMessage": error_line(error)})
    finally:
        await close(query)
    yield b"]\n"


def _row_object(row: ChangedRow) -> dict[str, Any]:
    return {"columns": row.columns, "tombstone": True} if isinstance(row, Tombstone) else {"columns": row}


def schema_text(schema: LogicalSchema) -> str:
    return ", ".join(f"{quoted(column.name)} {column.type}" for column in schema)
