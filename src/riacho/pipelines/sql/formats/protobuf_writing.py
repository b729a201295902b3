"""From the values of columns to Protobuf messages, by functions put together once a pair of columns and message type.

Null is a field that is not set. An array cannot hold null, nor can a map.
"""

from __future__ import annotations

import base64
import datetime
from collections.abc import Callable, Sequence
from typing import Any

from riacho.pipelines.sql.formats import protobuf_shape as shape
from riacho.pipelines.sql.formats.codec import CodecError
from riacho.pipelines.sql.formats.connect_values import check_taken, connect_type, entries, unscaled
from riacho.pipelines.sql.formats.java_numbers import parse_long
from riacho.pipelines.sql.types import STRING, Array, Decimal, Field, Map, SqlType, Struct

# Sets a field of a message from a value that is not null.
Put = Callable[[Any, Any], None]
Convert = Callable[[Any], Any]

_EPOCH = datetime.date(1970, 1, 1).toordinal()
_NESTING_MAX = 100


def message_writer(kind: SqlType, message: Any, path: str = "", depth: int = 0) -> Put:
    """Fills a message from a row. CodecError where the message has no place for a column."""
    if not isinstance(kind, Struct):
        raise _no_place(kind, "struct", path)
    if depth > _NESTING_MAX:
        raise CodecError("The schema is nested too deeply")
    parts: list[tuple[str, Put]] = []
    for name, oneof in shape.oneofs(message):
        column = _match(name, kind.fields)
        if column is not None:
            parts.append((column.name, _oneof(column.type, oneof, f"{path}->{name}", depth)))
    for field in shape.plain_fields(message):
        column = _match(field.name, kind.fields)
        if column is not None:
            parts.append((column.name, _field(column.type, field, f"{path}->{field.name}", depth)))

    def put(target: Any, row: Any) -> None:
        get = row.get
        for name, put_field in parts:
            value = get(name)
            if value is not None:
                put_field(target, value)

    return put


def _match(name: str, fields: Sequence[Field]) -> Field | None:
    return next((f for f in fields if f.name == name), None) or next(
        (f for f in fields if f.name == name.upper()), None
    )


def _no_place(kind: SqlType, given: str, path: str) -> CodecError:
    return CodecError(f"Cannot serialize type {connect_type(kind)} as type {given} for path: {path}")


def _oneof(kind: SqlType, oneof: Any, path: str, depth: int) -> Put:
    if not isinstance(kind, Struct):
        raise _no_place(kind, "struct", path)
    choices: list[tuple[str, Put]] = []
    for field in oneof.fields:
        column = _match(field.name, kind.fields)
        if column is not None:
            choices.append((column.name, _field(column.type, field, f"{path}->{field.name}", depth)))

    def put(target: Any, row: Any) -> None:
        for name, put_choice in choices:
            value = row.get(name)
            if value is not None:
                put_choice(target, value)
                return

    return put


def _field(kind: SqlType, field: Any, path: str, depth: int) -> Put:
    name = field.name
    if shape.is_map(field):
        return _map(kind, field, path, depth)
    if field.is_repeated:
        return _array(kind, field, path, depth)
    if shape.is_message(field):
        fill = _message(kind, field, path, depth)

        def put(target: Any, value: Any) -> None:
            inner = getattr(target, name)
            inner.SetInParent()
            fill(inner, value)

        return put
    convert = _scalar(kind, field, path)
    if convert is None:
        return lambda target, value: setattr(target, name, value)
    return lambda target, value: setattr(target, name, convert(value))


def _array(kind: SqlType, field: Any, path: str, depth: int) -> Put:
    if not isinstance(kind, Array):
        raise _no_place(kind, "array", path)
    name = field.name
    if shape.is_message(field):
        fill = _message(kind.item, field, f"{path}->ARRAY", depth)

        def put(target: Any, value: Any) -> None:
            items = getattr(target, name)
            for item in value:
                fill(items.add(), _not_null(item, path))

        return put
    convert = _scalar(kind.item, field, f"{path}->ARRAY") or _same
    return lambda target, value: getattr(target, name).extend([convert(_not_null(item, path)) for item in value])


def _same(value: Any) -> Any:
    return value


def _not_null(value: Any, path: str) -> Any:
    if value is None:
        raise CodecError(f"Protobuf has no null inside of arrays and maps, path: {path}")
    return value


def _map(kind: SqlType, field: Any, path: str, depth: int) -> Put:
    if not isinstance(kind, Map):
        raise _no_place(kind, "map", path)
    name = field.name
    key_field, value_field = field.message_type.fields
    convert_key = _scalar(kind.key, key_field, f"{path}->MAP_KEY") or _same
    if not shape.is_native_map(field):
        put_value = _field(kind.value, value_field, f"{path}->MAP_VAL", depth + 1)

        def put_entries(target: Any, value: Any) -> None:
            items = getattr(target, name)
            for key, item in entries(value):
                entry = items.add()
                entry.key = convert_key(_not_null(key, path))
                if item is not None:
                    put_value(entry, item)

        return put_entries
    if shape.is_message(value_field):
        fill = _message(kind.value, value_field, f"{path}->MAP_VAL", depth)

        def put_messages(target: Any, value: Any) -> None:
            found = getattr(target, name)
            for key, item in entries(value):
                fill(found[convert_key(_not_null(key, path))], _not_null(item, path))

        return put_messages
    convert = _scalar(kind.value, value_field, f"{path}->MAP_VAL") or _same

    def put(target: Any, value: Any) -> None:
        found = getattr(target, name)
        for key, item in entries(value):
            found[convert_key(_not_null(key, path))] = convert(_not_null(item, path))

    return put


def _message(kind: SqlType, field: Any, path: str, depth: int) -> Put:
    full_name = field.message_type.full_name
    if full_name == shape.DECIMAL and isinstance(kind, Decimal):
        return _decimal(kind.precision, kind.scale)
    if full_name in _TIMES and shape.value_name(field) == connect_type(kind):
        return _TIMES[full_name]
    if shape.is_wrapper(field) and not isinstance(kind, Struct):
        return _field(kind, field.message_type.fields_by_name["value"], path, depth)
    if shape.value_name(field) != "struct":
        raise _no_place(kind, shape.value_name(field), path)
    return message_writer(kind, field.message_type, path, depth + 1)


def _scalar(kind: SqlType, field: Any, path: str) -> Convert | None:
    """None where the column's value is the field's already."""
    given = shape.value_name(field)
    if shape.is_enum(field) and kind == STRING:
        return _enum(field.enum_type, path)
    if kind == STRING and given in ("int32", "int64"):
        return parse_long
    wanted = connect_type(kind)
    if isinstance(kind, Decimal) or wanted in ("array", "map", "struct"):
        raise _no_place(kind, given, path)
    if not (wanted in ("int32", "int64", "float64") and given in ("int32", "int64", "float32")):
        try:
            check_taken(given, kind, path)
        except CodecError:
            raise _no_place(kind, given, path) from None
    match given:
        case "bytes":
            return lambda value: base64.b64decode(value, validate=True)
        case "float32" | "float64":
            return float
        case _:
            return None


def _enum(enum: Any, path: str) -> Convert:
    numbers: dict[str, int] = {value.name: value.number for value in enum.values}

    def convert(value: Any) -> int:
        number = numbers.get(value)
        if number is None:
            raise CodecError(f"The enum {enum.name} has no value {value}, path: {path}")
        return number

    return convert


def _decimal(precision: int, scale: int) -> Put:
    def put(target: Any, value: Any) -> None:
        target.value = unscaled(value, scale)
        target.precision = precision
        target.scale = scale

    return put


def _put_date(target: Any, days: int) -> None:
    try:
        date = datetime.date.fromordinal(days + _EPOCH)
    except (ValueError, OverflowError) as error:
        raise CodecError(f"The date has no Protobuf form: {error}") from None
    target.year, target.month, target.day = date.year, date.month, date.day


def _put_time(target: Any, millis: int) -> None:
    seconds, rest = divmod(millis, 1_000)
    target.hours, target.minutes, target.seconds = seconds // 3_600, seconds // 60 % 60, seconds % 60
    target.nanos = rest * 1_000_000


def _put_timestamp(target: Any, millis: int) -> None:
    seconds, rest = divmod(millis, 1_000)
    target.seconds, target.nanos = seconds, rest * 1_000_000


_TIMES: dict[str, Put] = {shape.DATE: _put_date, shape.TIME: _put_time, shape.TIMESTAMP: _put_timestamp}
