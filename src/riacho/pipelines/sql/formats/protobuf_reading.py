"""From Protobuf messages to the values of columns, by functions put together once a pair of message type and columns.

A scalar that is not set is its default, for there is no null, unless the field is `optional` or a wrapper message.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

from riacho.pipelines.sql.formats import protobuf_shape as shape
from riacho.pipelines.sql.formats.codec import CodecError
from riacho.pipelines.sql.formats.connect_values import (
    as_text,
    bytes_text,
    check_taken,
    decimal_text_of,
    plain_double,
    unfit,
)
from riacho.pipelines.sql.formats.java_numbers import LONG_MAX, fitted, parse_decimal, wrapped_long
from riacho.pipelines.sql.formats.map_order import in_map_order
from riacho.pipelines.sql.types import STRING, Array, Decimal, Field, Map, SqlType, Struct

Read = Callable[[Any], Any]

_EPOCH = datetime.date(1970, 1, 1).toordinal()
_NESTING_MAX = 100


def message_reader(message: Any, kind: SqlType, path: str = "", depth: int = 0) -> Read:
    """CodecError where the types do not fit."""
    if not isinstance(kind, Struct):
        raise unfit("struct", kind, path)
    if depth > _NESTING_MAX:
        raise CodecError("The schema is nested too deeply")
    found: dict[str, Read] = {}
    for name, oneof in shape.oneofs(message):
        column = _match(name, kind.fields)
        if column is not None:
            found[column.name] = _oneof(oneof, column.type, f"{path}->{column.name}", depth)
    for field in shape.plain_fields(message):
        column = _match(field.name, kind.fields)
        if column is not None:
            found[column.name] = _field(field, column.type, f"{path}->{column.name}", depth)
    missing = [(field.name, _nothing) for field in kind.fields if field.name not in found]
    parts = [(field.name, found[field.name]) for field in kind.fields if field.name in found] + missing
    return lambda value: {name: read(value) for name, read in parts}


def _nothing(value: Any) -> None:
    return None


def _match(name: str, fields: Sequence[Field]) -> Field | None:
    return next((f for f in fields if f.name == name), None) or next(
        (f for f in fields if f.name == name.upper()), None
    )


def _field(field: Any, kind: SqlType, path: str, depth: int) -> Read:
    get: Read = attrgetter(field.name)
    if shape.is_map(field):
        return _map(field, kind, path, depth)
    if field.is_repeated:
        if not isinstance(kind, Array):
            raise unfit("array", kind, path)
        read_item = _value(field, kind.item, f"{path}->ARRAY", depth)
        if read_item is None:
            return lambda message: list(get(message))
        return lambda message: [read_item(item) for item in get(message)]
    read = _value(field, kind, path, depth)
    if not field.has_presence:
        return get if read is None else lambda message: read(get(message))
    name = field.name
    if read is None:
        return lambda message: get(message) if message.HasField(name) else None
    return lambda message: read(get(message)) if message.HasField(name) else None


def _oneof(oneof: Any, kind: SqlType, path: str, depth: int) -> Read:
    """A struct with a field a choice, all but one of them null."""
    if not isinstance(kind, Struct):
        raise unfit("struct", kind, path)
    names, oneof_name = [field.name for field in kind.fields], oneof.name
    choices: dict[str, tuple[str, Read]] = {}
    for field in oneof.fields:
        column = _match(field.name, kind.fields)
        if column is not None:
            choices[field.name] = column.name, _field(field, column.type, f"{path}->{column.name}", depth)

    def read(message: Any) -> Any:
        chosen = message.WhichOneof(oneof_name)
        if chosen is None:
            return None
        row: dict[str, Any] = dict.fromkeys(names)
        if chosen in choices:
            name, read_choice = choices[chosen]
            row[name] = read_choice(message)
        return row

    return read


def _map(field: Any, kind: SqlType, path: str, depth: int) -> Read:
    if not isinstance(kind, Map):
        raise unfit("map", kind, path)
    key_field, value_field = field.message_type.fields
    get: Read = attrgetter(field.name)
    read_key = _value(key_field, kind.key, f"{path}->MAP_KEY", depth) or _same
    if shape.is_native_map(field):
        read_item = _value(value_field, kind.value, f"{path}->MAP_VAL", depth) or _same

        def pairs(message: Any) -> Any:
            return ((read_key(key), read_item(value)) for key, value in get(message).items())
    else:
        read_value = _field(value_field, kind.value, f"{path}->MAP_VAL", depth + 1)

        def pairs(message: Any) -> Any:
            return ((read_key(each.key), read_value(each)) for each in get(message))

    if kind.key == STRING:
        return lambda message: in_map_order(dict(pairs(message)))
    return lambda message: [{"key": key, "value": value} for key, value in pairs(message)]


def _same(value: Any) -> Any:
    return value


def _value(field: Any, kind: SqlType, path: str, depth: int) -> Read | None:
    """From one value of the field; None where it is the column's already."""
    given = shape.value_name(field)
    if given == "struct":
        if shape.is_wrapper(field) and not isinstance(kind, Struct):
            inner = _value(field.message_type.fields_by_name["value"], kind, path, depth) or _same
            return lambda wrapper: inner(wrapper.value)
        return message_reader(field.message_type, kind, path, depth + 1)
    if shape.is_message(field):
        return _known_message(field.message_type.full_name, given, kind, path)
    if isinstance(kind, Decimal):
        raise unfit(given, kind, path)
    check_taken(given, kind, path)
    if kind == STRING and given != "string":
        return as_text(given)
    return _scalar(field, given)


def _scalar(field: Any, given: str) -> Read | None:
    match given:
        case "bytes":
            return bytes_text
        case "float32" | "float64":
            return plain_double
        case "int64":
            # Unsigned numbers become Java's long, which has a sign.
            return lambda value: value if value <= LONG_MAX else wrapped_long(value)
        case "string" if shape.is_enum(field):
            names = {value.number: value.name for value in field.enum_type.values}
            return lambda number: names.get(number, f"UNKNOWN_ENUM_VALUE_{field.enum_type.name}_{number}")
        case _:
            return None


def _known_message(name: str, given: str, kind: SqlType, path: str) -> Read:
    if name == shape.DECIMAL:
        if not isinstance(kind, Decimal):
            raise unfit(given, kind, path)
        return _decimal(kind.precision, kind.scale)
    if isinstance(kind, Decimal):
        raise unfit(given, kind, path)
    check_taken(given, kind, path)
    read = _TIMES[name]
    return (lambda message: str(read(message))) if kind == STRING else read


def _decimal(precision: int, scale: int) -> Read:
    def read(message: Any) -> str:
        if not -1_000 <= message.scale <= 1_000:
            raise CodecError(f"The payload has a decimal of scale {message.scale}")
        try:
            return fitted(parse_decimal(decimal_text_of(message.value, message.scale)), precision, scale)
        except ValueError as error:
            raise CodecError(str(error)) from None

    return read


def _days(date: Any) -> int:
    try:
        return datetime.date(date.year, date.month, date.day).toordinal() - _EPOCH
    except ValueError as error:
        raise CodecError(f"The payload has no date: {error}") from None


def _millis_of_day(time: Any) -> int:
    return int(((time.hours * 60 + time.minutes) * 60 + time.seconds) * 1_000 + time.nanos // 1_000_000)


def _millis(timestamp: Any) -> int:
    return wrapped_long(timestamp.seconds * 1_000 + timestamp.nanos // 1_000_000)


_TIMES: dict[str, Read] = {shape.DATE: _days, shape.TIME: _millis_of_day, shape.TIMESTAMP: _millis}
