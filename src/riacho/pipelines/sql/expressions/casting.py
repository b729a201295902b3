"""CAST: which types become which, and by what Spark SQL. What cannot be converted gives null, as in ksqlDB."""

from __future__ import annotations

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions import text_casts
from riacho.pipelines.sql.expressions.binding import let
from riacho.pipelines.sql.expressions.bounds import check_text
from riacho.pipelines.sql.expressions.compiled import Compiled, typed_null
from riacho.pipelines.sql.expressions.failure import any_of
from riacho.pipelines.sql.row_json import sql_string
from riacho.pipelines.sql.types import (
    BOOLEAN,
    DATE,
    STRING,
    TIME,
    TIMESTAMP,
    Array,
    Decimal,
    Map,
    SqlType,
    Struct,
    is_number,
    is_wide,
    quoted,
    spark_type,
)

DAY_MS = 86_400_000


def cast(value: Compiled, target: SqlType) -> Compiled:
    """KsqlError where ksqlDB has no such cast."""
    if value.type is None:
        return typed_null(target)
    if value.type == target:
        return value
    text = cast_text(value.text, value.type, target)
    check_text(text)
    failed = _failure(value.text, value.type, target)
    failure = any_of((value.failure, failed))
    shows_failure = value.shows_failure and not (failed and isinstance(target, Array | Map | Struct))
    certain = not value.nullable and not failure
    return Compiled(
        text, target, nullable=not certain, source=value.source, failure=failure, shows_failure=shows_failure
    )


def _failure(text: str, source: SqlType, target: SqlType, depth: int = 0) -> str:
    """The condition under which a value, or a part of it, is no value of the type."""
    x = f"_f{depth}"
    match source, target:
        case _ if source == target:
            return ""
        case Array(item), Array(to_item):
            part = _failure(x, item, to_item, depth + 1)
            return f"coalesce(exists({text}, {x} -> {part}), false)" if part else ""
        case Map(key, value), Map(to_key, to_value):
            name = _failure(f"{x}.key", key, to_key, depth + 1)
            part = any_of((name, _failure(f"{x}.value", value, to_value, depth + 1)))
            return f"coalesce(exists(map_entries({text}), {x} -> {part}), false)" if part else ""
        case Struct(fields), Struct():
            both = ((field, target.field(field.name)) for field in fields)
            return any_of(
                _failure(f"{text}.{quoted(field.name)}", field.type, known.type, depth + 1)
                for field, known in both
                if known is not None
            )
        case _ if _may_fail(source, target):
            return f"({text} IS NOT NULL AND {cast_text(text, source, target)} IS NULL)"
        case _:
            return ""


def _may_fail(source: SqlType, target: SqlType) -> bool:
    """A text that is no value of the type, or a number that does not fit."""
    return (source == STRING and target != BOOLEAN) or (is_number(source) and isinstance(target, Decimal))


def cast_text(text: str, source: SqlType, target: SqlType, depth: int = 0) -> str:
    if source == target:
        return text
    match source, target:
        case (Array(), Array()) | (Map(), Map()) | (Struct(), Struct()):
            return _cast_parts(text, source, target, depth)
        case _, _ if target == STRING and is_wide(source):
            return text
        case _, _ if target == STRING:
            return text_casts.to_string(text, source, depth)
        case _, _ if source == STRING:
            return text_casts.from_string(text, target)
        case _, Decimal(precision, scale) if is_number(source) and is_wide(target):
            return f"riacho_fitted_decimal(CAST({text} AS STRING), {precision}, {scale})"
        case _, _ if is_number(source) and is_number(target):
            return f"CAST({text} AS {spark_type(target)})"
        case _:
            return _cast_time(text, source, target)


def _cast_time(text: str, source: SqlType, target: SqlType) -> str:
    if (source, target) == (TIMESTAMP, DATE):
        return f"CAST(floor({text} / {DAY_MS}D) AS INT)"
    if (source, target) == (TIMESTAMP, TIME):
        return f"CAST(pmod({text}, {DAY_MS}L) AS INT)"
    if (source, target) == (DATE, TIMESTAMP):
        return f"({text} * {DAY_MS}L)"
    raise KsqlError(f"Cast of {source} to {target} is not supported")


def _cast_parts(text: str, source: SqlType, target: SqlType, depth: int) -> str:
    x = f"_c{depth}"
    match source, target:
        case Array(item), Array(to_item):
            return f"transform({text}, {x} -> {cast_text(x, item, to_item, depth + 1)})"
        case Map(key, item), Map(to_key, to_item):
            name = cast_text(f"{x}.key", key, to_key, depth + 1)
            value = cast_text(f"{x}.value", item, to_item, depth + 1)
            entry = f"named_struct('key', {name}, 'value', {value})"
            entries = f"transform(map_entries({text}), {x} -> {entry})"
            # Spark ends a query for a key that is null; that the cast of one failed is known by `_failure`.
            kept = f"filter({entries}, {x} -> {x}.key IS NOT NULL)" if key != to_key else entries
            return f"map_from_entries({kept})"
        case Struct(), Struct():
            return let(text, lambda value: _cast_fields(value, source, target, depth))
    raise AssertionError("arrays, maps and structs only")


def _cast_fields(text: str, source: Struct, target: Struct, depth: int) -> str:
    """Fields by name: those that only the target has are null, those that only the source has are left out."""
    parts: list[str] = []
    for field in target.fields:
        known = source.field(field.name)
        value = (
            f"CAST(NULL AS {spark_type(field.type)})"
            if known is None
            else cast_text(f"{text}.{quoted(field.name)}", known.type, field.type, depth + 1)
        )
        parts.append(f"{sql_string(field.name)}, {value}")
    return f"IF({text} IS NULL, NULL, named_struct({', '.join(parts)}))"
