"""Questions to the store: rows of a table by keys and window bounds, a page at a time. All that users give is bound."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from riacho.pipelines.sql.analysis.outcomes import PullOutcome, WindowBounds
from riacho.pipelines.sql.catalogue.sources import DataSource
from riacho.pipelines.sql.serving.served_row import ServedRow
from riacho.pipelines.sql.serving.table_store import NO_WINDOW

PAGE_ROWS = 5_000
_decode = msgspec.json.Decoder(dict).decode


def lookup(table_id: int, outcome: PullOutcome) -> tuple[str, list[Any]]:
    parts: list[str] = []
    parameters: list[Any] = []
    if outcome.keys is not None:
        parts.append("key IN (SELECT value FROM json_each(?))")
        parameters.append(msgspec.json.encode([_key_text(key, outcome.source) for key in outcome.keys]).decode())
    for column, low, high in _bounds(outcome.bounds):
        if low is not None:
            parts.append(f"{column} >= ?")
            parameters.append(low)
        if high is not None:
            parts.append(f"{column} <= ?")
            parameters.append(high)
    where = f" WHERE {' AND '.join(parts)}" if parts else ""
    return f"SELECT key, ws, we, row, ts, part, off FROM rows_{table_id:d}{where}", parameters


def page(sql: str, parameters: list[Any], last: tuple[Any, ...] | None) -> tuple[str, list[Any]]:
    """The next rows in the order of their keys: a long scan is no long transaction."""
    if last is None:
        return f"{sql} ORDER BY key, ws, we LIMIT {PAGE_ROWS}", parameters
    word = "AND" if " WHERE " in sql else "WHERE"
    return f"{sql} {word} (key, ws, we) > (?, ?, ?) ORDER BY key, ws, we LIMIT {PAGE_ROWS}", [*parameters, *last]


def row_of(found: tuple[Any, ...]) -> ServedRow:
    key, start, end, row, timestamp_ms, partition, offset = found
    is_windowed = start != NO_WINDOW
    window = (start, end) if is_windowed else (None, None)
    return ServedRow(_decode(key), _decode(row), timestamp_ms, partition, offset, *window)


def _bounds(bounds: WindowBounds) -> list[tuple[str, int | None, int | None]]:
    return [("ws", bounds.start_min, bounds.start_max), ("we", bounds.end_min, bounds.end_max)]


def _key_text(key: Mapping[str, Any], source: DataSource) -> str:
    """As the follower writes it: the key columns in their order."""
    return msgspec.json.encode({column.name: key.get(column.name) for column in source.schema.key}).decode()
