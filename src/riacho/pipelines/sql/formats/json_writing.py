"""From the values of columns to JSON, by functions put together once a codec.

A row's form is JSON's already, but for two types: a DECIMAL is a number, and a DOUBLE is written as Java prints it
(`1.0E10`), so that equal keys have equal bytes whoever wrote them. Columns without either are passed as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Raw

from riacho.pipelines.sql.formats.java_numbers import double_text, plain_decimal
from riacho.pipelines.sql.types import DOUBLE, Array, Decimal, Field, Map, SqlType, Struct, walk

Write = Callable[[Any], Any]


def writer(kind: SqlType) -> Write | None:
    """A function from a value that is not null; None where the value is its own JSON form."""
    if not _is_rewritten(kind):
        return _ordered(kind)
    match kind:
        case Decimal():
            return lambda value: Raw(plain_decimal(value).encode())
        case Array(item):
            return _array(writer(item))
        case Map(_, value):
            return _map(writer(value))
        case Struct(fields):
            return struct_writer(fields)
        case _:
            return _double


def struct_writer(fields: Sequence[Field]) -> Write:
    """Every field in its place, null where the row has none."""
    writers = [(field.name, writer(field.type)) for field in fields]
    names = [field.name for field in fields]
    if all(write is None for _, write in writers):
        return lambda row: {name: row.get(name) for name in names}

    def write_row(row: Any) -> Any:
        found = {}
        for name, write in writers:
            value = row.get(name)
            found[name] = value if write is None or value is None else write(value)
        return found

    return write_row


def _is_rewritten(kind: SqlType) -> bool:
    return any(isinstance(part, Decimal) or part == DOUBLE for part in walk(kind))


def _ordered(kind: SqlType) -> Write | None:
    """Structs are written in the order of their type."""
    match kind:
        case Struct(fields):
            return struct_writer(fields)
        case Array(item):
            return _array(inner) if (inner := _ordered(item)) is not None else None
        case Map(_, value):
            return _map(inner) if (inner := _ordered(value)) is not None else None
        case _:
            return None


def _array(write: Write | None) -> Write:
    assert write is not None, "an array that is rewritten has items that are"
    return lambda value: [None if item is None else write(item) for item in value]


def _map(write: Write | None) -> Write:
    assert write is not None, "a map that is rewritten has values that are"
    return lambda value: {key: None if item is None else write(item) for key, item in value.items()}


def _double(value: Any) -> Any:
    """Those that JSON has no number for are texts in the row, and stay so."""
    return value if type(value) is str else Raw(double_text(value).encode())
