"""Which rows of a table come next: the keys that order it, where a micro-batch ends, and the statement that reads it.

The end is fixed when a batch is planned, and its rows are those with keys in (start, end]: read again they are the
same, unless somebody has changed them since. That is as far as a table can go which is not a log:

- incrementing sees inserts only, and wants ids that become visible in their order;
- timestamp sees updates as well; rows of one moment stay together in a batch, and the present moment is left for later
  (`timestamp.delay.interval.ms`: for transactions that take long to commit);
- timestamp+incrementing orders rows of one moment by id;
- bulk reads the whole table at each poll. A replayed batch gives the table as it is then, not as it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from riacho.pipelines.connectors.jdbc.database import Database
from riacho.pipelines.connectors.jdbc.types import Column

BULK = "bulk"
INCREMENTING = "incrementing"
TIMESTAMP = "timestamp"
BOTH = "timestamp+incrementing"
MODES = (BULK, INCREMENTING, TIMESTAMP, BOTH)

# What an offset of a table holds: {"incrementing": 7, "timestamp": "2024-01-01 00:00:00"} or {"snapshot": 3}.
Position = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Order:
    """How one table is read. `incrementing` is empty in the modes without, `timestamps` likewise."""

    mode: str
    incrementing: str = ""
    timestamps: Sequence[str] = ()
    delay_ms: int = 0
    zone: str = "UTC"

    def keys(self, database: Database) -> list[tuple[str, str]]:
        """Name in the offset, and expression, the first being the most significant."""
        keys = []
        if self.mode in (TIMESTAMP, BOTH):
            names = [database.name(name) for name in self.timestamps]
            keys.append((TIMESTAMP, names[0] if len(names) == 1 else f"COALESCE({', '.join(names)})"))
        if self.mode in (INCREMENTING, BOTH):
            keys.append((INCREMENTING, database.name(self.incrementing)))
        return keys


def end_statement(
    database: Database, order: Order, relation: str, start: Position, rows_max: int | None
) -> tuple[str, list[Any]]:
    """The keys of the last row of the next batch, no row where there is none."""
    keys = order.keys(database)
    conditions, parameters = _beyond(database, keys, start)
    conditions += [f"{expression} IS NOT NULL" for _, expression in keys]
    if keys[0][0] == TIMESTAMP:
        conditions.append(database.is_past(keys[0][1], order.delay_ms, order.zone))
    inner = ", ".join(f"{expression} AS riacho_{name}" for name, expression in keys)
    names = [f"riacho_{name}" for name, _ in keys]
    limit = "" if rows_max is None else f" LIMIT {rows_max}"
    first = f"SELECT {inner} FROM {relation} WHERE {' AND '.join(conditions)} ORDER BY {', '.join(names)}{limit}"
    shown = ", ".join(database.as_text(name) if name == f"riacho_{TIMESTAMP}" else name for name in names)
    last = ", ".join(f"{name} DESC" for name in names)
    return f"SELECT {shown} FROM ({first}) AS riacho_next ORDER BY {last} LIMIT 1", parameters


def rows_statement(
    database: Database,
    order: Order,
    relation: str,
    columns: Sequence[Column],
    present: Sequence[str],
    start: Position,
    end: Position,
) -> tuple[str, list[Any]]:
    """The rows of one batch in their order. A column that has gone since the batch was planned reads as null."""
    names = [database.name(each.name) if each.name in present else "NULL" for each in columns]
    select = f"SELECT {', '.join(names)} FROM {relation}"
    if order.mode == BULK:
        return select, []
    keys = order.keys(database)
    conditions, parameters = _beyond(database, keys, start)
    conditions.append(_compared(database, keys, "<="))
    parameters += [end[name] for name, _ in keys]
    ordered = ", ".join(expression for _, expression in keys)
    return f"{select} WHERE {' AND '.join(conditions)} ORDER BY {ordered}", parameters


def _beyond(database: Database, keys: Sequence[tuple[str, str]], start: Position) -> tuple[list[str], list[Any]]:
    """Past `start`. An offset set by hand may lack the id: then all rows of its moment count as read."""
    known = [(name, expression) for name, expression in keys if start.get(name) is not None]
    if not known or known[0] != keys[0]:
        return [], []
    return [_compared(database, known, ">")], [start[name] for name, _ in known]


def _compared(database: Database, keys: Sequence[tuple[str, str]], sign: str) -> str:
    left = ", ".join(expression for _, expression in keys)
    right = ", ".join([database.parameter] * len(keys))
    return f"({left}) {sign} ({right})" if len(keys) > 1 else f"{left} {sign} {right}"
