"""From Avro's bytes to the values of columns, by functions put together once a pair of writer's schema and columns.

A field of the schema is a column's by its name, or by its upper-case form; others are passed over. What types are taken
for which, `connect_values.py` says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from riacho.pipelines.sql.formats.avro_shape import branch_name, connect_name, decimal_shape, entry_of, without_null
from riacho.pipelines.sql.formats.codec import CodecError
from riacho.pipelines.sql.formats.connect_values import (
    as_text,
    bytes_text,
    check_taken,
    decimal_text_of,
    unfit,
)
from riacho.pipelines.sql.formats.java_numbers import fitted, parse_decimal
from riacho.pipelines.sql.formats.map_order import in_map_order
from riacho.pipelines.sql.types import STRING, Array, Decimal, Field, Map, Primitive, SqlType, Struct
from riacho.schemas.avro import types as avro
from riacho.schemas.avro.decoding import Cursor, DecoderCompiler
from riacho.schemas.avro.misfit import Misfit

Read = Callable[[Cursor], Any]

_NESTING_MAX = 100


def reader(writer: avro.AvroType, kind: SqlType, path: str = "") -> Read:
    """CodecError where the types do not fit."""
    return _reader(writer, kind, path, 0)


def _reader(writer: avro.AvroType, kind: SqlType, path: str, depth: int) -> Read:
    if depth > _NESTING_MAX:
        raise CodecError("The schema is nested too deeply")
    if isinstance(writer, avro.Union):
        return _union(writer, kind, path, depth)
    match kind:
        case Struct(fields) if isinstance(writer, avro.Record):
            return _record(writer, fields, path, depth)
        case Map(key, value):
            return _map(writer, key, value, kind, path, depth)
        case Array(item) if isinstance(writer, avro.Array) and entry_of(writer) is None:
            return _array(_reader(writer.items, item, f"{path}->ARRAY", depth + 1))
        case Decimal(precision, scale):
            return _decimal(writer, precision, scale, kind, path)
        case Primitive():
            return _scalar(writer, kind, path)
        case _:
            raise unfit(connect_name(writer), kind, path)


def _union(union: avro.Union, kind: SqlType, path: str, depth: int) -> Read:
    inner = without_null(union)
    if inner is not union:
        return _nullable(union, _reader(inner, kind, path, depth))
    if not isinstance(kind, Struct):
        raise unfit("struct", kind, path)
    reads: list[tuple[str | None, Read | None]] = []
    names = [field.name for field in kind.fields]
    for branch in union.branches:
        field = _match(branch_name(branch), kind.fields)
        if branch.kind is avro.Kind.NULL:
            reads.append((None, None))
        elif field is None:
            reads.append((None, DecoderCompiler().compile(branch)))
        else:
            reads.append((field.name, _reader(branch, field.type, f"{path}->{field.name}", depth + 1)))

    def read(cursor: Cursor) -> Any:
        name, read_branch = reads[_branch(cursor, len(reads))]
        if read_branch is None:
            return None
        row = dict.fromkeys(names)
        value = read_branch(cursor)
        if name is not None:
            row[name] = value
        return row

    return read


def _branch(cursor: Cursor, count: int) -> int:
    at = cursor.number()
    if not 0 <= at < count:
        raise Misfit(f"the payload names branch {at} of a union of {count}")
    return at


def _nullable(union: avro.Union, read_value: Read) -> Read:
    count = len(union.branches)
    if count == 1:
        return lambda cursor: (_branch(cursor, 1), read_value(cursor))[1]
    # Almost every column is such a union, so its branch is looked at without a call: 0 and 1 are the bytes 0 and 2.
    null, other = (0, 2) if union.branches[0].kind is avro.Kind.NULL else (2, 0)

    def read(cursor: Cursor) -> Any:
        pos = cursor.pos
        if pos < cursor.end:
            byte = cursor.data[pos]
            if byte == other:
                cursor.pos = pos + 1
                return read_value(cursor)
            if byte == null:
                cursor.pos = pos + 1
                return None
        at = _branch(cursor, count)
        return None if at * 2 == null else read_value(cursor)

    return read


def _match(name: str, fields: Sequence[Field]) -> Field | None:
    return next((f for f in fields if f.name == name), None) or next(
        (f for f in fields if f.name == name.upper()), None
    )


def _record(writer: avro.Record, fields: Sequence[Field], path: str, depth: int) -> Read:
    names = [field.name for field in fields]
    parts: list[tuple[str | None, Read]] = []
    for each in writer.fields:
        field = _match(each.name, fields)
        if field is None:
            parts.append((None, DecoderCompiler().compile(each.type)))
        else:
            parts.append((field.name, _reader(each.type, field.type, f"{path}->{field.name}", depth + 1)))
    if [name for name, _ in parts] == names:
        whole = [(name, read_field) for name, read_field in parts if name is not None]
        return lambda cursor: {name: read_field(cursor) for name, read_field in whole}

    def read(cursor: Cursor) -> Any:
        start = cursor.pos
        row: dict[str, Any] = dict.fromkeys(names)
        for name, read_field in parts:
            value = read_field(cursor)
            if name is not None:
                row[name] = value
        if cursor.pos == start:
            cursor.count_empty()
        return row

    return read


def _array(read_item: Read) -> Read:
    def read(cursor: Cursor) -> Any:
        items: list[Any] = []
        while count := cursor.block():
            start = cursor.pos
            items.append(read_item(cursor))
            if cursor.pos == start:
                cursor.count_empty(count)
            for _ in range(count - 1):
                items.append(read_item(cursor))
        return items

    return read


def _map(writer: avro.AvroType, key: SqlType, value: SqlType, kind: SqlType, path: str, depth: int) -> Read:
    entry = entry_of(writer)
    if entry is not None:
        fields = (Field("key", key), Field("value", value))
        read_entries = _array(_record(entry, fields, path, depth + 1))
        if key != STRING:
            return read_entries
        return lambda cursor: in_map_order({str(each["key"]): each["value"] for each in read_entries(cursor)})
    if not isinstance(writer, avro.MapType) or key != STRING:
        raise unfit(connect_name(writer), kind, path)
    read_value = _reader(writer.values, value, f"{path}->MAP_VAL", depth + 1)

    def read(cursor: Cursor) -> Any:
        found: dict[str, Any] = {}
        while count := cursor.block():
            for _ in range(count):
                name = cursor.take(cursor.number()).decode("utf-8", "replace")
                found[name] = read_value(cursor)
        return in_map_order(found)

    return read


def _decimal(writer: avro.AvroType, precision: int, scale: int, kind: SqlType, path: str) -> Read:
    shape = decimal_shape(writer)
    if shape is None:
        raise unfit(connect_name(writer), kind, path)
    read_bytes = _raw(writer)
    if shape == (precision, scale):
        return lambda cursor: decimal_text_of(read_bytes(cursor), scale)

    def read(cursor: Cursor) -> Any:
        try:
            return fitted(parse_decimal(decimal_text_of(read_bytes(cursor), shape[1])), precision, scale)
        except ValueError as error:
            raise Misfit(str(error)) from None

    return read


def _raw(writer: avro.AvroType) -> Callable[[Cursor], bytes]:
    if isinstance(writer, avro.Fixed):
        size = writer.size
        return lambda cursor: cursor.take(size)
    return lambda cursor: cursor.take(cursor.number())


def _scalar(writer: avro.AvroType, kind: Primitive, path: str) -> Read:
    given = connect_name(writer)
    check_taken(given, kind, path)
    if given == "bytes":
        read_bytes = _raw(writer)
        return lambda cursor: bytes_text(read_bytes(cursor))
    read_value = DecoderCompiler().compile(writer)
    if kind == STRING and given != "string":
        text = as_text(given)
        return lambda cursor: text(read_value(cursor))
    return read_value
