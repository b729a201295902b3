"""Records of a batch as changes of tables: rows to write and keys to delete, in the order of the topic."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any

from riacho.pipelines.connectors.jdbc.tables import Cell, Layout

if TYPE_CHECKING:
    import pyarrow as pa

WRITE = "write"
DELETE = "delete"


@dataclass(frozen=True, slots=True)
class Change:
    """`topic` is the one that the record came from, `routed` the one whose table it changes. `refusal` says why this
    record cannot be a change at all; it then has no values."""

    topic: str
    partition: int
    offset: int
    routed: str
    kind: str
    keys: tuple[Any, ...] = ()
    others: tuple[Any, ...] = ()
    refusal: str | None = None


def changes(batch: pa.RecordBatch, layout: Layout, may_delete: bool) -> Iterator[Change]:
    came_from = "raw_topic" if "raw_topic" in batch.schema.names else "topic"
    places = zip(*(batch.column(name).to_pylist() for name in (came_from, "partition", "offset", "topic")), strict=True)
    keys = _rows(batch, layout.keys)
    others = _rows(batch, layout.others)
    no_value = batch.column("value").is_null().to_pylist()
    is_struct = _is_struct(batch.column("value"))
    key_names = [cell.name for cell in layout.keys]
    for (topic, partition, offset, routed), key, other, is_null in zip(places, keys, others, no_value, strict=True):
        place = (topic, partition, offset, routed)
        if is_null and not may_delete:
            yield Change(*place, WRITE, refusal="The value is null and delete.enabled is false")
        elif not is_null and not is_struct:
            yield Change(*place, WRITE, refusal="The value is not a struct, so it has no fields for columns")
        elif None in key:
            yield Change(*place, WRITE, refusal=f"The key column {key_names[key.index(None)]} would be null")
        else:
            yield Change(*place, DELETE if is_null else WRITE, key, other)


def runs(given: Sequence[Change], size: int) -> Iterator[list[Change]]:
    """Changes that one statement can do together: neighbours of one table and kind, at most `size`."""
    for _, neighbours in groupby(given, key=lambda change: (change.routed, change.kind)):
        while part := list(islice(neighbours, size)):
            yield part


def _is_struct(column: pa.Array) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_struct(column.type))


def _rows(batch: pa.RecordBatch, cells: Sequence[Cell]) -> Iterator[tuple[Any, ...]]:
    if not cells:
        return iter([()] * len(batch))
    return zip(*(_values(batch, cell) for cell in cells), strict=True)


def _values(batch: pa.RecordBatch, cell: Cell) -> list[Any]:
    column = batch.column(cell.origin)
    if cell.field:
        # `flatten` and not `field`: a field of a null struct is null.
        index = column.type.get_field_index(cell.field)
        column = column.flatten()[index]
    values = column.to_pylist()
    return [_time(value) for value in values] if cell.type == "time" else values


def _time(milliseconds: int | None) -> dt.time | None:
    if milliseconds is None:
        return None
    moment = dt.datetime.min + dt.timedelta(milliseconds=milliseconds)
    return moment.time()
