"""From JSON values to the values of columns, by functions put together once a codec: ksqlDB's lenient coercions.

A number becomes a STRING, and so does an object (as its JSON text) and an array; the text of a number becomes a number;
a number is cut and wraps as Java's casts do. A BOOLEAN is strict. Fields are found by their name, or by its upper-case
form; those that are missing are null, those that no column has are ignored.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from decimal import Decimal as Number
from typing import Any

from riacho.pipelines.sql.formats.java_numbers import (
    INT_MAX,
    INT_MIN,
    LONG_MAX,
    LONG_MIN,
    MILLIS_OF_DAY,
    decimal_text,
    double_text,
    fitted,
    parse_decimal,
    parse_double,
    parse_int,
    parse_long,
    wrapped_int,
    wrapped_long,
)
from riacho.pipelines.sql.formats.json_source import InexactError, NumberText, jackson_text
from riacho.pipelines.sql.formats.map_order import in_map_order, sized_capacity
from riacho.pipelines.sql.formats.misfit import Misfit
from riacho.pipelines.sql.types import Array, Base, Decimal, Field, Map, Primitive, SqlType, Struct, walk

Read = Callable[[Any], Any]

_NODES = {bool: "BooleanNode", int: "IntNode", float: "DecimalNode", NumberText: "DecimalNode", str: "TextNode"}
_NODES |= {dict: "ObjectNode", list: "ArrayNode"}
_TIME_RANGE = f"Time values must use number of milliseconds greater than 0 and less than {MILLIS_OF_DAY}."


def reader(kind: SqlType) -> Read:
    """A function from a JSON value that is not null."""
    match kind:
        case Primitive(base):
            return _PRIMITIVES[base]
        case Decimal(precision, scale):
            return _decimal(precision, scale)
        case Array(item):
            return _array(kind, reader(item))
        case Map(_, value):
            return _map(kind, reader(value))
        case Struct(fields):
            return struct_reader(fields, kind)
        case _:
            raise AssertionError("no column is a lambda")


def needs_digits(kind: SqlType) -> bool:
    """Whether values can only be read from the exact form."""
    return any(isinstance(part, Decimal) for part in walk(kind))


def struct_reader(fields: Sequence[Field], kind: SqlType | None = None) -> Read:
    readers = [(field.name, reader(field.type)) for field in fields]
    required = Struct(tuple(fields)) if kind is None else kind

    def read(value: Any) -> Any:
        if type(value) is not dict:
            raise _unfit(value, str(required))
        find = value.get
        row: dict[str, Any] = {}
        upper: dict[str, Any] | None = None
        name = ""
        try:
            for name, read_field in readers:
                found = find(name)
                if found is None and name not in value:
                    if upper is None:
                        upper = {key.upper(): item for key, item in value.items()}
                    found = upper.get(name)
                row[name] = None if found is None else read_field(found)
        except Misfit as wrong:
            raise wrong.inside(f".{name}") from None
        return row

    return read


def _array(kind: SqlType, read_item: Read) -> Read:
    def read(value: Any) -> Any:
        if type(value) is not list:
            raise _unfit(value, str(kind))
        items: list[Any] = []
        try:
            for item in value:
                items.append(None if item is None else read_item(item))
        except Misfit as wrong:
            raise wrong.inside(f"[{len(items)}]") from None
        return items

    return read


def _map(kind: SqlType, read_item: Read) -> Read:
    def read(value: Any) -> Any:
        if type(value) is not dict:
            raise _unfit(value, str(kind))
        entries: dict[str, Any] = {}
        key = ""
        try:
            for key, item in value.items():
                entries[key] = None if item is None else read_item(item)
        except Misfit as wrong:
            raise wrong.inside(f".{key}.value") from None
        return in_map_order(entries, sized_capacity(len(entries)))

    return read


def _decimal(precision: int, scale: int) -> Read:
    def read(value: Any) -> Any:
        kind = type(value)
        if kind is float:
            raise InexactError
        try:
            if kind is int:
                return fitted(Number(value), precision, scale)
            if kind is NumberText or kind is str:
                return fitted(parse_decimal(value), precision, scale)
        except ValueError as error:
            raise Misfit(str(error) if kind is not str else _said(error, value)) from None
        raise _unfit(value, f"DECIMAL({precision}, {scale})")

    return read


def _said(error: ValueError, text: str) -> str:
    return "Can't coerce string to type. targetType: DECIMAL" if str(error) == text else str(error)


def _boolean(value: Any) -> Any:
    if value is True or value is False:
        return value
    raise _unfit(value, "BOOLEAN")


def _integer(value: Any) -> Any:
    kind = type(value)
    if kind is int:
        return value if INT_MIN <= value <= INT_MAX else wrapped_int(value)
    return wrapped_int(_whole(value, "INTEGER")) if kind is not str else _parsed(value, parse_int, "INTEGER")


def _bigint(value: Any) -> Any:
    kind = type(value)
    if kind is int:
        return value if LONG_MIN <= value <= LONG_MAX else wrapped_long(value)
    return wrapped_long(_whole(value, "BIGINT")) if kind is not str else _parsed(value, parse_long, "BIGINT")


def _whole(value: Any, target: str) -> int:
    """What is before the point."""
    if type(value) is float:
        return int(value)
    if type(value) is NumberText:
        try:
            return int(parse_decimal(value))
        except ValueError:
            raise Misfit(f"Can't coerce string to type. targetType: {target}") from None
    raise _unfit(value, target)


def _double(value: Any) -> Any:
    kind = type(value)
    if kind is float:
        return value
    if kind is int:
        return _as_double(value)
    if kind is NumberText or kind is str:
        number = _parsed(value, parse_double, "DOUBLE")
        return number if number - number == 0 else double_text(number)
    raise _unfit(value, "DOUBLE")


def _as_double(value: int) -> Any:
    try:
        return float(value)
    except OverflowError:
        return "Infinity" if value > 0 else "-Infinity"


def _parsed(text: str, parse: Callable[[str], Any], target: str) -> Any:
    try:
        return parse(text)
    except ValueError:
        raise Misfit(f"Can't coerce string to type. targetType: {target}") from None


def _string(value: Any) -> Any:
    kind = type(value)
    if kind is str:
        return value
    if kind is bool:
        return "true" if value else "false"
    if kind is int:
        return str(value)
    if kind is NumberText:
        return decimal_text(value)
    if kind is dict:
        _refuse_floats(value)
        return jackson_text(value)
    if kind is list:
        return "[" + ", ".join("null" if item is None else _string(item) for item in value) + "]"
    raise InexactError


def _refuse_floats(value: Any) -> None:
    if type(value) is dict:
        for item in value.values():
            _refuse_floats(item)
    elif type(value) is list:
        for item in value:
            _refuse_floats(item)
    elif type(value) is float:
        raise InexactError


def _bytes(value: Any) -> Any:
    if type(value) is not str:
        raise _unfit(value, "BYTES")
    try:
        return base64.b64encode(base64.b64decode(value, validate=True)).decode()
    except (binascii.Error, ValueError):
        raise Misfit("Value is not a valid Base64 encoded string") from None


def _time(value: Any) -> Any:
    number = _bigint(value)
    if not 0 <= number <= MILLIS_OF_DAY:
        raise Misfit(_TIME_RANGE)
    return number


def _date(value: Any) -> Any:
    return wrapped_int(_bigint(value))


def _unfit(value: Any, required: str) -> Misfit:
    source = _NODES.get(type(value), "NullNode")
    return Misfit(f"Can't convert type. sourceType: {source}, requiredType: {required}")


_PRIMITIVES: dict[Base, Read] = {
    Base.BOOLEAN: _boolean,
    Base.INTEGER: _integer,
    Base.BIGINT: _bigint,
    Base.DOUBLE: _double,
    Base.STRING: _string,
    Base.BYTES: _bytes,
    Base.TIME: _time,
    Base.DATE: _date,
    Base.TIMESTAMP: _bigint,
}
