"""Protobuf payloads as an Arrow column: all rows read their next field at once, as often as the longest row has fields.

A message may have its fields in any order, and none twice the same; but rows of one topic look alike, so each step has
one or two kinds of field to deal with. The last of several values of a field counts, as in Protobuf's own readers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from google.protobuf.descriptor import FieldDescriptor as Fd  # type: ignore[import-untyped]

from riacho.pipelines.formats.byte_columns import decimals
from riacho.pipelines.formats.byte_cursor import Cursor, Numbers, as_text, distinct, gather, spread
from riacho.pipelines.formats.column_types import arrow_type
from riacho.pipelines.formats.protobuf_types import (
    DATE,
    DECIMAL,
    DECIMAL_TYPE,
    TIMESTAMP,
    field_type,
    fields_of,
    is_map,
    is_message,
    is_wrapper,
    message_type,
)

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_SIZES = {_FIXED64: (8, "<i8"), _FIXED32: (4, "<i4")}
_WIRE_TYPES = {
    Fd.TYPE_DOUBLE: _FIXED64,
    Fd.TYPE_FIXED64: _FIXED64,
    Fd.TYPE_SFIXED64: _FIXED64,
    Fd.TYPE_FLOAT: _FIXED32,
    Fd.TYPE_FIXED32: _FIXED32,
    Fd.TYPE_SFIXED32: _FIXED32,
    Fd.TYPE_STRING: _BYTES,
    Fd.TYPE_BYTES: _BYTES,
    Fd.TYPE_MESSAGE: _BYTES,
}
_MICROS = 1_000_000


class _Occurrences:
    """Values of one field as they are met: the row of each, and either its bits or its stretch of bytes."""

    def __init__(self) -> None:
        self.rows: list[Numbers] = []
        self.firsts: list[Numbers] = []
        self.seconds: list[Numbers] = []

    def add(self, rows: Numbers, first: Numbers, second: Numbers) -> None:
        self.rows.append(rows)
        self.firsts.append(first)
        self.seconds.append(second)

    def joined(self) -> tuple[Numbers, Numbers, Numbers]:
        """In the order of rows, and as they were met within a row."""
        if not self.rows:
            return (np.zeros(0, np.int64),) * 3
        rows = np.concatenate(self.rows)
        order = np.argsort(rows, kind="stable")
        return rows[order], np.concatenate(self.firsts)[order], np.concatenate(self.seconds)[order]


def read_message(descriptor: Any, cursor: Cursor) -> pa.Array:
    """Messages from each row's position to its end. What cannot be read is marked in the cursor."""
    fields = fields_of(descriptor)
    found = _scan(fields, cursor)
    columns = {field.name: _column(field, found[field.number], cursor) for field in fields}
    special = _special(descriptor, columns, cursor)
    if special is not None:
        return special
    target = arrow_type(message_type(descriptor))
    if not columns:
        return pa.array([{}] * len(cursor), target)
    return pa.StructArray.from_arrays(list(columns.values()), fields=list(target))


def _scan(fields: list[Any], cursor: Cursor) -> dict[int, _Occurrences]:
    known = {field.number: field for field in fields}
    found = {number: _Occurrences() for number in known}
    rows = np.flatnonzero(cursor.pos < cursor.end)
    while rows.size:
        part = cursor.select(rows)
        tags = part.varint()
        for tag in distinct(tags):
            here = np.flatnonzero(tags == tag)
            group = part if len(here) == len(rows) else part.select(here)
            _take(known.get(tag >> 3), tag & 7, group, rows[here], found)
            if group is not part:
                part.put_back(here, group)
        cursor.put_back(rows, part)
        rows = rows[(part.pos < part.end) & ~part.bad]
    return found


def _take(field: Any, wire_type: int, group: Cursor, rows: Numbers, found: dict[int, _Occurrences]) -> None:
    """One value of each row of the group. One of an unknown field, or in another form than the field's, is passed."""
    if wire_type == _VARINT:
        first = group.varint().view(np.int64)
        second = first
    elif wire_type in _SIZES:
        first = second = group.fixed(*_SIZES[wire_type]).astype(np.int64)
    elif wire_type == _BYTES:
        first, second = group.span(group.varint().view(np.int64))
    else:
        group.fail(np.ones(len(group), bool))
        return
    if field is None:
        return
    wanted = _WIRE_TYPES.get(field.type, _VARINT)
    if wire_type == wanted:
        found[field.number].add(rows[~group.bad], first[~group.bad], second[~group.bad])
    elif wire_type == _BYTES and field.is_repeated:
        _take_packed(wanted, Cursor(group.data, first, first + second), rows, found[field.number], group)


def _take_packed(wanted: int, inner: Cursor, rows: Numbers, found: _Occurrences, group: Cursor) -> None:
    going = np.flatnonzero(inner.pos < inner.end)
    while going.size:
        part = inner.select(going)
        values = part.varint().view(np.int64) if wanted == _VARINT else part.fixed(*_SIZES[wanted]).astype(np.int64)
        found.add(rows[going], values, values)
        inner.put_back(going, part)
        going = going[(part.pos < part.end) & ~part.bad]
    group.bad |= inner.bad


def _column(field: Any, found: _Occurrences, cursor: Cursor) -> pa.Array:
    rows, first, second = found.joined()
    if field.is_repeated:
        return _repeated(field, rows, first, second, cursor)
    if len(rows) > 1:
        last = np.append(rows[1:] != rows[:-1], True)
        rows, first, second = rows[last], first[last], second[last]
    values = spread(_values(field, rows, first, second, cursor), rows, len(cursor))
    if field.has_presence or len(rows) == len(cursor):
        return values
    return values.fill_null(_zero(field))


def _zero(field: Any) -> Any:
    """What a field without presence has when it was not sent."""
    if field.type == Fd.TYPE_ENUM:
        return field.enum_type.values[0].name
    return field.default_value


def _repeated(field: Any, rows: Numbers, first: Numbers, second: Numbers, cursor: Cursor) -> pa.Array:
    counts = np.bincount(rows, minlength=len(cursor))
    offsets = pa.array(np.concatenate(([0], np.cumsum(counts))).astype(np.int32))
    values = _values(field, rows, first, second, cursor)
    if not is_map(field):
        return pa.ListArray.from_arrays(offsets, values).cast(pa.list_(pa.field("element", values.type)))
    value_field = field.message_type.fields_by_name["value"]
    target = pa.map_(values.type.field(0).type, values.type.field(1).type)
    items = values.field(1)
    if items.null_count and not is_message(value_field):
        items = items.fill_null(_zero(value_field))
    keys = values.field(0)
    if keys.null_count:
        keys = keys.fill_null(_zero(field.message_type.fields_by_name["key"]))
    return pa.MapArray.from_arrays(offsets, keys, items).cast(target)


def _values(field: Any, rows: Numbers, first: Numbers, second: Numbers, cursor: Cursor) -> pa.Array:
    """`first` is the bits of numbers, or where bytes start; `second` how many bytes."""
    match field.type:
        case Fd.TYPE_MESSAGE:
            inner = Cursor(cursor.data, first.copy(), first + second)
            values = read_message(field.message_type, inner)
            cursor.bad[rows[inner.bad]] = True
            return values
        case Fd.TYPE_STRING:
            return as_text(gather(cursor.data, first, second), cursor, rows)
        case Fd.TYPE_BYTES:
            return gather(cursor.data, first, second)
        case Fd.TYPE_ENUM:
            return _names(field.enum_type, first)
        case _:
            return pa.array(_number(field, first)).cast(arrow_type(field_type(field)), safe=False)


def _names(enum: Any, numbers: Numbers) -> pa.Array:
    """Names of an enum's values, and the number as text of one that the schema does not name."""
    distinct, index = np.unique(numbers.astype(np.int32), return_inverse=True)
    names = []
    for number in distinct:
        value = enum.values_by_number.get(int(number))
        names.append(str(number) if value is None else value.name)
    return pa.array(names, pa.string()).take(pa.array(index))


def _number(field: Any, bits: Numbers) -> Numbers:
    match field.type:
        case Fd.TYPE_DOUBLE:
            return bits.view(np.float64)
        case Fd.TYPE_FLOAT:
            return bits.astype(np.int32).view(np.float32)
        case Fd.TYPE_BOOL:
            return np.not_equal(bits, 0)
        case Fd.TYPE_INT32 | Fd.TYPE_SFIXED32:
            return bits.astype(np.int32)
        case Fd.TYPE_UINT32 | Fd.TYPE_FIXED32:
            return bits.astype(np.uint32)
        case Fd.TYPE_SINT32 | Fd.TYPE_SINT64:
            signed: Numbers = (bits.view(np.uint64) >> np.uint64(1)).astype(np.int64) ^ -(bits & 1)
            return signed.astype(np.int32) if field.type == Fd.TYPE_SINT32 else signed
        case _:
            return bits


def _special(descriptor: Any, columns: dict[str, pa.Array], cursor: Cursor) -> pa.Array | None:
    """Messages that stand for a single value."""
    if descriptor.full_name == TIMESTAMP:
        seconds, nanos = (columns[name].to_numpy(zero_copy_only=False) for name in ("seconds", "nanos"))
        return pa.array(seconds * _MICROS + nanos // 1000).view(pa.timestamp("us", "UTC"))
    if descriptor.full_name == DATE:
        return pa.array(_days(*(columns[name].to_numpy(zero_copy_only=False) for name in ("year", "month", "day"))))
    if descriptor.full_name == DECIMAL:
        return _decimals(columns, cursor)
    return columns["value"] if is_wrapper(descriptor) else None


def _days(years: Numbers, months: Numbers, days: Numbers) -> Numbers:
    """Zero stands for an unknown part; what no calendar has is taken for the nearest that it has."""
    month = (np.clip(years, 1, 9999).astype(np.int64) - 1970) * 12 + np.clip(months, 1, 12) - 1
    found: Numbers = month.astype("datetime64[M]").astype("datetime64[D]") + np.clip(days, 1, 31).astype(np.int64) - 1
    return found


def _decimals(columns: dict[str, pa.Array], cursor: Cursor) -> pa.Array:
    """Each scale by itself, all as the one scale that the column has."""
    target = arrow_type(DECIMAL_TYPE)
    scales = columns["scale"].to_numpy(zero_copy_only=False)
    pieces, places = [], []
    for scale in np.unique(scales):
        rows = np.flatnonzero(scales == scale)
        wrong = np.zeros(len(rows), bool)
        values = decimals(columns["value"].take(pa.array(rows)), 38, int(scale), wrong)
        try:
            pieces.append(values.cast(target))
        except pa.ArrowInvalid:
            wrong[:] = True
            pieces.append(pa.nulls(len(rows), target))
        cursor.bad[rows[wrong]] = True
        places.append(rows)
    if not pieces:
        return pa.nulls(0, target)
    order = np.argsort(np.concatenate(places), kind="stable")
    return pa.concat_arrays(pieces).take(pa.array(order))
