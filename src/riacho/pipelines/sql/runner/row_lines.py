"""Rows cut into lines that the server takes: a longer one would end the runner, and every query with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from riacho.pipelines.plugin import ConnectError
from riacho.pipelines.spark_child.child import LINE_BYTES_MAX

ROWS_A_LINE = 500
# What stands around the rows is little.
_BYTES_MAX = LINE_BYTES_MAX // 2


def row_lines(rows: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """ConnectError for a row that no line can hold."""
    line: list[str] = []
    weight = 0
    for row in rows:
        size = line_size([row])
        if line and (len(line) == ROWS_A_LINE or weight + size > _BYTES_MAX):
            yield tuple(line)
            line, weight = [], 0
        line.append(row)
        weight += size
    if line:
        yield tuple(line)


def line_size(rows: Sequence[str | None]) -> int:
    """In bytes, as they are written; ConnectError where that is too much for a line."""
    size = sum(4 if row is None else len(msgspec.json.encode(row)) for row in rows)
    if size > _BYTES_MAX:
        raise ConnectError(f"The values of this query are larger than the {_BYTES_MAX} bytes that are sent at once.")
    return size
