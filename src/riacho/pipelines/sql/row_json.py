"""Rows as JSON texts: what passes between codecs, Spark and tasks, and what state keeps.

A row is an object with one field a column. Values, by type:

    BOOLEAN                 true, false
    INTEGER, BIGINT         a number
    DOUBLE                  a number, or "NaN", "Infinity", "-Infinity"
    DECIMAL                 a string, plain digits with all of its scale: "10.50"
    STRING                  a string
    BYTES                   a string, base64
    TIME, DATE, TIMESTAMP   a number: milliseconds of the day, days since 1970, milliseconds since 1970
    ARRAY                   a list
    MAP<STRING, ...>        an object
    MAP of other keys       a list of {"key": ..., "value": ...}
    STRUCT                  an object with every field

Null is null. A text can be read with fewer or more columns than it was written with: what is missing is null, so state
needs no migration when a column is added. `row_expression` and `row_schema` are the Spark end, codecs the other.
"""

from __future__ import annotations

from collections.abc import Sequence

from riacho.pipelines.sql.types import STRING as TEXT
from riacho.pipelines.sql.types import Array, Decimal, Field, Map, Primitive, SqlType, Struct, quoted, spark_type

_KEEP_NULLS = "map('ignoreNullFields', 'false')"


def row_schema(columns: Sequence[Field]) -> str:
    """The schema by which Spark reads a row: `from_json(row, '<this>')`. To be put in a literal by `sql_string`."""
    return ", ".join(f"{quoted(column.name)} {_text_type(column.type)}" for column in columns)


def parsed_row(text: str, columns: Sequence[Field]) -> str:
    """A Spark expression: the struct of the row JSON that the expression `text` gives."""
    parsed = f"from_json({text}, {sql_string(row_schema(columns))})"
    if not any(_has_entries(column.type) for column in columns):
        return parsed
    return _from_text_form(parsed, Struct(tuple(columns)))


def row_text(values: Sequence[tuple[Field, str]]) -> str:
    """A Spark expression: the row JSON of columns, each with the expression of its value. '{}' where there are none."""
    if not values:
        return "'{}'"
    fields = ", ".join(f"{sql_string(column.name)}, {_to_text_form(value, column.type)}" for column, value in values)
    return f"to_json(named_struct({fields}), {_KEEP_NULLS})"


def sql_string(text: str) -> str:
    """A Spark SQL string literal. Control characters as escapes: the text passes through a parser."""
    escaped = "".join(_ESCAPES.get(letter, letter) for letter in text)
    return f"'{escaped}'"


_ESCAPES = {
    "\\": "\\\\",
    "'": "\\'",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\0": "\\u0000",
    "\b": "\\b",
    "\x1a": "\\Z",
}


def _has_entries(kind: SqlType) -> bool:
    match kind:
        case Array(item):
            return _has_entries(item)
        case Map(key, value):
            return key != TEXT or _has_entries(value)
        case Struct(fields):
            return any(_has_entries(field.type) for field in fields)
        case _:
            return False


def _has_decimals(kind: SqlType) -> bool:
    match kind:
        case Decimal():
            return True
        case Array(item):
            return _has_decimals(item)
        case Map(key, value):
            return _has_decimals(key) or _has_decimals(value)
        case Struct(fields):
            return any(_has_decimals(field.type) for field in fields)
        case _:
            return False


def _text_type(kind: SqlType) -> str:
    """As `spark_type`, with maps that JSON has no form for as lists of entries."""
    match kind:
        case Primitive() | Decimal():
            return spark_type(kind)
        case Array(item):
            return f"ARRAY<{_text_type(item)}>"
        case Map(key, value) if key != TEXT:
            return f"ARRAY<STRUCT<`key`: {_text_type(key)}, `value`: {_text_type(value)}>>"
        case Map(key, value):
            return f"MAP<{_text_type(key)}, {_text_type(value)}>"
        case Struct(fields):
            return "STRUCT<" + ", ".join(f"{quoted(each.name)}: {_text_type(each.type)}" for each in fields) + ">"
        case _:
            raise AssertionError("no column is a lambda")


def _to_text_form(value: str, kind: SqlType, depth: int = 0) -> str:
    if not _has_entries(kind) and not _has_decimals(kind):
        return value
    x = f"_{depth}"
    match kind:
        case Decimal():
            return f"CAST({value} AS STRING)"
        case Array(item):
            return f"transform({value}, {x} -> {_to_text_form(x, item, depth + 1)})"
        case Map(key, inner) if key == TEXT:
            return f"transform_values({value}, ({x}k, {x}v) -> {_to_text_form(f'{x}v', inner, depth + 1)})"
        case Map(key, inner):
            key_form = _to_text_form(f"{x}.key", key, depth + 1)
            value_form = _to_text_form(f"{x}.value", inner, depth + 1)
            return f"transform(map_entries({value}), {x} -> named_struct('key', {key_form}, 'value', {value_form}))"
        case Struct(fields):
            parts = ", ".join(
                f"{sql_string(each.name)}, {_to_text_form(f'{value}.{quoted(each.name)}', each.type, depth)}"
                for each in fields
            )
            return f"IF(({value}) IS NULL, NULL, named_struct({parts}))"
        case _:
            return value


def _from_text_form(value: str, kind: SqlType, depth: int = 0) -> str:
    if not _has_entries(kind):
        return value
    x = f"_{depth}"
    match kind:
        case Array(item):
            return f"transform({value}, {x} -> {_from_text_form(x, item, depth + 1)})"
        case Map(key, inner) if key == TEXT:
            return f"transform_values({value}, ({x}k, {x}v) -> {_from_text_form(f'{x}v', inner, depth + 1)})"
        case Map(key, inner):
            key_form = _from_text_form(f"{x}.key", key, depth + 1)
            value_form = _from_text_form(f"{x}.value", inner, depth + 1)
            entry = f"named_struct('key', {key_form}, 'value', {value_form})"
            return f"map_from_entries(transform({value}, {x} -> {entry}))"
        case Struct(fields):
            parts = ", ".join(
                f"{sql_string(each.name)}, {_from_text_form(f'{value}.{quoted(each.name)}', each.type, depth)}"
                for each in fields
            )
            return f"IF(({value}) IS NULL, NULL, named_struct({parts}))"
        case _:
            return value
