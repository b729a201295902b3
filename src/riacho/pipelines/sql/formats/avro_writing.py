"""From the values of columns to Avro's bytes, by functions put together once a pair of columns and schema.

The schema is the one that the columns were registered with, or one that a statement named by its id: then fields that
no column has are written with their default, or as null.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from typing import Any

from riacho.pipelines.sql.formats.avro_shape import branch_name, connect_name, decimal_shape, entry_of
from riacho.pipelines.sql.formats.codec import CodecError
from riacho.pipelines.sql.formats.connect_values import check_taken, connect_type, entries, unscaled
from riacho.pipelines.sql.formats.java_numbers import fitted, parse_decimal, parse_long
from riacho.pipelines.sql.types import STRING, Array, Decimal, Field, Map, SqlType, Struct
from riacho.schemas.avro import types as avro
from riacho.schemas.avro.encoding import EncoderCompiler
from riacho.wire.varint import encode_zigzag

Write = Callable[[Any], bytes]

_NESTING_MAX = 100


def writer(kind: SqlType, target: avro.AvroType, path: str = "", depth: int = 0) -> Write:
    """CodecError where the schema has no place for such a column."""
    if depth > _NESTING_MAX:
        raise CodecError("The schema is nested too deeply")
    if isinstance(target, avro.Union):
        return _union(kind, target, path, depth)
    inner = _value_writer(kind, target, path, depth)

    def write(value: Any) -> bytes:
        if value is None:
            raise CodecError(f"The schema does not allow null{_at(path)}")
        return inner(value)

    return write


def _at(path: str) -> str:
    return f" for path: {path}" if path else ""


def _value_writer(kind: SqlType, target: avro.AvroType, path: str, depth: int) -> Write:
    """For values that are not null."""
    match kind:
        case Struct(fields) if isinstance(target, avro.Record):
            return _record(fields, target, path, depth)
        case Map(key, value):
            return _map(key, value, kind, target, path, depth)
        case Array(item) if isinstance(target, avro.Array) and entry_of(target) is None:
            return _array(writer(item, target.items, f"{path}->ARRAY", depth + 1))
        case Decimal():
            return _decimal(kind, target, path)
        case Struct() | Array():
            raise _no_place(kind, target, path)
        case _:
            return _scalar(kind, target, path)


def _no_place(kind: SqlType, target: avro.AvroType, path: str) -> CodecError:
    return CodecError(f"Cannot serialize type {connect_type(kind)} as type {connect_name(target)}{_at(path)}")


def _union(kind: SqlType, union: avro.Union, path: str, depth: int) -> Write:
    null_at = next((at for at, each in enumerate(union.branches) if each.kind is avro.Kind.NULL), None)
    others = [at for at, each in enumerate(union.branches) if at != null_at]
    null = None if null_at is None else encode_zigzag(null_at)
    if len(others) == 1:
        head = encode_zigzag(others[0])
        inner = _value_writer(kind, union.branches[others[0]], path, depth)
        if null is None:
            return lambda value: head + inner(value)
        return lambda value: null if value is None else head + inner(value)
    if not isinstance(kind, Struct):
        raise _no_place(kind, union, path)
    return _chosen_branch(kind, union, null, path, depth)


def _chosen_branch(kind: Struct, union: avro.Union, null: bytes | None, path: str, depth: int) -> Write:
    """A union of several is a struct with a field a branch, one of which is not null."""
    branches: list[tuple[str, bytes, Write]] = []
    for at, branch in enumerate(union.branches):
        name = branch_name(branch)
        for field in kind.fields:
            if branch.kind is not avro.Kind.NULL and field.name in (name, name.upper()):
                head, inner = encode_zigzag(at), _value_writer(field.type, branch, f"{path}->{name}", depth + 1)
                branches.append((field.name, head, inner))

    def write(value: Any) -> bytes:
        for name, head, inner in branches if value is not None else ():
            item = value.get(name)
            if item is not None:
                return head + inner(item)
        if null is None:
            raise CodecError(f"No branch of the union has a value{_at(path)}")
        return null

    return write


def _record(fields: Sequence[Field], target: avro.Record, path: str, depth: int) -> Write:
    parts: list[tuple[str, Write]] = []
    for each in target.fields:
        field = next((f for f in fields if f.name.replace(".", "_") == each.name), None) or next(
            (f for f in fields if f.name == each.name.upper()), None
        )
        if field is None:
            parts.append(("", _constant(_default(each, path))))
        elif each.has_default and each.default is not None:
            write_field = writer(field.type, each.type, f"{path}->{each.name}", depth + 1)
            parts.append((field.name, _or_default(write_field, _default(each, path))))
        else:
            parts.append((field.name, writer(field.type, each.type, f"{path}->{each.name}", depth + 1)))

    def write(row: Any) -> bytes:
        get = row.get
        return b"".join([write_field(get(name)) for name, write_field in parts])

    return write


def _constant(payload: bytes) -> Write:
    return lambda value: payload


def _or_default(write: Write, default: bytes) -> Write:
    return lambda value: default if value is None else write(value)


def _default(field: avro.RecordField, path: str) -> bytes:
    """The bytes of a field without a value: a default is one of the union's first branch."""
    kind = field.type
    if not field.has_default:
        branches = kind.branches if isinstance(kind, avro.Union) else []
        null_at = next((at for at, each in enumerate(branches) if each.kind is avro.Kind.NULL), None)
        if null_at is None:
            raise CodecError(f"The schema requires the field {field.name}, which no column has{_at(path)}")
        return encode_zigzag(null_at)
    if isinstance(kind, avro.Union):
        return encode_zigzag(0) + EncoderCompiler().compile(kind.branches[0])(field.default)
    return EncoderCompiler().compile(kind)(field.default)


def _array(write_item: Write) -> Write:
    def write(value: Any) -> bytes:
        if not value:
            return b"\0"
        return encode_zigzag(len(value)) + b"".join([write_item(item) for item in value]) + b"\0"

    return write


def _map(key: SqlType, value: SqlType, kind: SqlType, target: avro.AvroType, path: str, depth: int) -> Write:
    entry = entry_of(target)
    if entry is not None:
        write_entries = _array(_record((Field("key", key), Field("value", value)), entry, path, depth + 1))
        return lambda found: write_entries([{"key": each, "value": item} for each, item in entries(found)])
    if not isinstance(target, avro.MapType):
        raise _no_place(kind, target, path)
    write_key = EncoderCompiler().compile(avro.AvroType(kind=avro.Kind.STRING))
    write_value = writer(value, target.values, f"{path}->MAP_VAL", depth + 1)
    pair = _array(lambda each: write_key(str(each[0])) + write_value(each[1]))
    return lambda found: pair(list(entries(found)))


def _decimal(kind: Decimal, target: avro.AvroType, path: str) -> Write:
    shape = decimal_shape(target)
    if shape is None:
        raise _no_place(kind, target, path)
    precision, scale = shape
    put = _raw(target)
    if scale == kind.scale:
        return lambda value: put(unscaled(value, scale))

    def write(value: Any) -> bytes:
        try:
            return put(unscaled(fitted(parse_decimal(value), precision, scale), scale))
        except ValueError as error:
            raise CodecError(f"{error}{_at(path)}") from None

    return write


def _raw(target: avro.AvroType) -> Callable[[bytes], bytes]:
    if not isinstance(target, avro.Fixed):
        return lambda raw: encode_zigzag(len(raw)) + raw
    size = target.size

    def put(raw: bytes) -> bytes:
        filled = raw.rjust(size, b"\xff" if raw[:1] >= b"\x80" else b"\0")
        if len(filled) != size:
            raise CodecError(f"The value takes {len(filled)} bytes, the schema has {size}")
        return filled

    return put


def _scalar(kind: SqlType, target: avro.AvroType, path: str) -> Write:
    given = connect_name(target)
    if given in ("int32", "int64", "float32") and kind != STRING and connect_type(kind) != given:
        # A column may be wider than the schema that was named: what does not fit is found by the value.
        pass
    elif kind == STRING and given in ("int32", "int64"):
        # Keys of maps are texts in rows, whatever the schema has.
        put = EncoderCompiler().compile(target)
        return lambda value: put(parse_long(value))
    else:
        try:
            check_taken(given, kind, path)
        except CodecError:
            raise _no_place(kind, target, path) from None
    if given == "bytes":
        put_raw = _raw(target)
        return lambda value: put_raw(base64.b64decode(value, validate=True))
    return EncoderCompiler().compile(target)
