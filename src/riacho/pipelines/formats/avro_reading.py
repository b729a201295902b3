"""Avro payloads as an Arrow column, read field by field for all rows at once with a `Cursor`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from riacho.pipelines.formats.avro_types import (
    branch_name,
    decimal_shape,
    map_entry,
    solid_branches,
    spark_field,
)
from riacho.pipelines.formats.byte_columns import decimals
from riacho.pipelines.formats.byte_cursor import Cursor, Numbers, as_text, spread
from riacho.pipelines.formats.column_types import arrow_type
from riacho.schemas.avro.logical_types import logical_type
from riacho.schemas.avro.types import Array, AvroType, EnumType, Fixed, Kind, MapType, Record, Union


def read(avro_type: AvroType, cursor: Cursor) -> pa.Array:
    """One value of each row, in the Arrow form of the type's Spark form. What cannot be read is marked."""
    match avro_type:
        case Record():
            return _record(avro_type, cursor)
        case Union():
            return _union(avro_type, cursor)
        case Array():
            return _array(avro_type, cursor)
        case MapType():
            return _map(avro_type, cursor)
        case EnumType():
            index = cursor.zigzag()
            wrong = (index < 0) | (index >= len(avro_type.symbols))
            cursor.fail(wrong)
            return pa.array(avro_type.symbols, pa.string()).take(pa.array(np.where(wrong, 0, index)))
        case _:
            return _scalar(avro_type, cursor)


def _record(record: Record, cursor: Cursor) -> pa.Array:
    columns = [read(field.type, cursor) for field in record.fields]
    if not columns:
        return pa.array([{}] * len(cursor), arrow_type(spark_field("", record).dataType))
    return pa.StructArray.from_arrays(columns, fields=list(arrow_type(spark_field("", record).dataType)))


def _union(union: Union, cursor: Cursor) -> pa.Array:
    choice = cursor.zigzag()
    wrong = (choice < 0) | (choice >= len(union.branches))
    if wrong.any():
        cursor.fail(wrong)
    branches = solid_branches(union)
    target = arrow_type(spark_field("", union).dataType)
    if not branches:
        return pa.nulls(len(cursor), target)
    columns = [_branch(branch, cursor, (choice == union.branches.index(branch)) & ~wrong) for branch in branches]
    if len(branches) == 1:
        return columns[0]
    absent = np.logical_and.reduce([column.is_null().to_numpy(zero_copy_only=False) for column in columns])
    fields = [pa.field(branch_name(branch), column.type) for branch, column in zip(branches, columns, strict=True)]
    return pa.StructArray.from_arrays(columns, fields=fields, mask=pa.array(absent)).cast(target)


def _branch(branch: AvroType, cursor: Cursor, chosen: Numbers) -> pa.Array:
    if chosen.all():
        return read(branch, cursor)
    rows = np.flatnonzero(chosen)
    part = cursor.select(rows)
    values = read(branch, part)
    cursor.put_back(rows, part)
    return spread(values, rows, len(cursor))


def _array(array: Array, cursor: Cursor) -> pa.Array:
    target = arrow_type(spark_field("", array).dataType)
    offsets, items = _items(cursor, lambda part: read(array.items, part), _item_type(array))
    if map_entry(array) is not None:
        return pa.MapArray.from_arrays(offsets, items.field(0), items.field(1)).cast(target)
    return pa.ListArray.from_arrays(offsets, items).cast(target)


def _item_type(array: Array) -> pa.DataType:
    return arrow_type(spark_field("", array.items).dataType)


def _map(avro_map: MapType, cursor: Cursor) -> pa.Array:
    target = arrow_type(spark_field("", avro_map).dataType)

    def entry(part: Cursor) -> pa.Array:
        keys = as_text(part.blob(part.zigzag()), part)
        return pa.StructArray.from_arrays([keys, read(avro_map.values, part)], ["key", "value"])

    entry_type = pa.struct([pa.field("key", pa.string()), pa.field("value", target.item_type)])
    offsets, items = _items(cursor, entry, entry_type)
    return pa.MapArray.from_arrays(offsets, items.field(0), items.field(1)).cast(target)


def _items(cursor: Cursor, item: Callable[[Cursor], pa.Array], item_type: pa.DataType) -> tuple[pa.Array, pa.Array]:
    """Offsets and items of blocks: the first item of all rows that have one, then the second, and so on."""
    counts = np.zeros(len(cursor), np.int64)
    pieces: list[pa.Array] = []
    owners: list[Numbers] = []
    rows = np.arange(len(cursor))
    left = _block(cursor, rows)
    rows = rows[left > 0]
    left = left[left > 0]
    while rows.size:
        part = cursor.select(rows)
        pieces.append(item(part))
        cursor.put_back(rows, part)
        owners.append(rows)
        counts[rows] += 1
        left = left - 1
        done = left == 0
        if done.any():
            left[done] = _block(cursor, rows[done])
        going = (left > 0) & ~cursor.bad[rows]
        rows, left = rows[going], left[going]
    offsets = pa.array(np.concatenate(([0], np.cumsum(counts))).astype(np.int32))
    if not pieces:
        return offsets, pa.nulls(0, item_type)
    order = np.argsort(np.concatenate(owners), kind="stable")
    together = pa.concat_arrays(pieces)
    return offsets, together if len(pieces) == 1 else together.take(pa.array(order))


def _block(cursor: Cursor, rows: Numbers) -> Numbers:
    """How many items the next block has. A negative count is followed by the block's size in bytes."""
    part = cursor.select(rows)
    counts = part.zigzag()
    with_size = np.flatnonzero(counts < 0)
    if with_size.size:
        inner = part.select(with_size)
        inner.zigzag()
        part.put_back(with_size, inner)
        counts[with_size] = -counts[with_size]
    # Items take a byte at least: a count beyond the bytes left is a lie that would keep us busy.
    wrong = (counts < 0) | (counts > part.end - part.pos)
    part.fail(wrong)
    cursor.put_back(rows, part)
    counts[wrong | part.bad] = 0
    return counts


def _scalar(avro_type: AvroType, cursor: Cursor) -> pa.Array:
    target = arrow_type(spark_field("", avro_type).dataType)
    match avro_type.kind:
        case Kind.NULL:
            return pa.nulls(len(cursor), target)
        case Kind.INT:
            return _narrow(cursor.zigzag(), target, cursor)
        case Kind.LONG:
            return _long(avro_type, cursor.zigzag(), target)
        case Kind.FLOAT:
            return pa.array(cursor.fixed(4, "<f4"))
        case Kind.DOUBLE:
            return pa.array(cursor.fixed(8, "<f8"))
        case Kind.BOOLEAN:
            return pa.array(cursor.matrix(1)[:, 0] != 0)
        case Kind.STRING:
            return as_text(cursor.blob(cursor.zigzag()), cursor)
        case _:
            return _bytes(avro_type, cursor)


def _narrow(values: Numbers, target: pa.DataType, cursor: Cursor) -> pa.Array:
    """Numbers in the width of the column; those that are wider are marked bad."""
    width = np.dtype(f"i{target.bit_width // 8}")
    kept = values.astype(width)
    cursor.bad |= kept != values
    return pa.array(kept).view(target)


def _long(avro_type: AvroType, values: Numbers, target: pa.DataType) -> pa.Array:
    logical = logical_type(avro_type) or ""
    if logical.endswith("timestamp-millis"):
        values = values * 1000
    elif logical.endswith("timestamp-nanos"):
        values = values // 1000
    return pa.array(values).view(target)


def _bytes(avro_type: AvroType, cursor: Cursor) -> pa.Array:
    sizes = np.full(len(cursor), avro_type.size) if isinstance(avro_type, Fixed) else cursor.zigzag()
    values = cursor.blob(sizes)
    if logical_type(avro_type) != "decimal":
        return values
    return decimals(values, *decimal_shape(avro_type), cursor.bad)
