"""Casts to and from STRING, where Java's texts decide: what a number, a list or a time looks like."""

from __future__ import annotations

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions.binding import let
from riacho.pipelines.sql.row_json import sql_string
from riacho.pipelines.sql.types import (
    BIGINT,
    BOOLEAN,
    BYTES,
    DATE,
    DOUBLE,
    INTEGER,
    STRING,
    TIME,
    TIMESTAMP,
    Array,
    Decimal,
    Field,
    Map,
    SqlType,
    Struct,
    is_wide,
    quoted,
    spark_type,
)

_TRUE = r"^(?i)\s*(t|tr|tru|true|y|ye|yes)\s*$"
_WHOLE = r"^\s*([+-]?[0-9]+)\s*$"
_REAL = r"^\s*([+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|NaN|Infinity))\s*$"
_DAY = r"^\s*([0-9]{4}(?:-[0-9]{2}(?:-[0-9]{2})?)?)\s*$"
_CLOCK = r"^\s*((?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?)\s*$"
_STAMP = "yyyy-MM-dd'T'HH:mm:ss.SSS"
_MILLIS_MAX = "9000000000000000L"
_DAYS_MAX = "100000000"
_ZERO_SECONDS = r"(:00)?\.000$"
# Java writes a decimal with an exponent where its scale is above this, Spark's cast to STRING does the same.
_PLAIN_SCALE_MAX = 6


def from_string(text: str, target: SqlType) -> str:
    if target == BOOLEAN:
        return f"rlike({text}, {sql_string(_TRUE)})"
    if target in (INTEGER, BIGINT):
        return f"CAST({_matched(text, _WHOLE)} AS {spark_type(target)})"
    if isinstance(target, Decimal) and is_wide(target):
        return f"riacho_fitted_decimal({_matched(text, _REAL)}, {target.precision}, {target.scale})"
    if target == DOUBLE or isinstance(target, Decimal):
        return f"CAST({_matched(text, _REAL)} AS {spark_type(target)})"
    if target == DATE:
        return f"unix_date(CAST({_matched(text, _DAY)} AS DATE))"
    if target == TIME:
        return time_from_string(text)
    if target == TIMESTAMP:
        return timestamp_from_string(text)
    raise KsqlError(f"Cast of STRING to {target} is not supported")


def _matched(text: str, pattern: str) -> str:
    """The part of a text that is a value; '' where none is, which no cast takes for a value."""
    return f"regexp_extract({text}, {sql_string(pattern)}, 1)"


def time_from_string(text: str) -> str:
    """Of a day in 1970, so that the time of day is the milliseconds."""
    clock = _matched(text, _CLOCK)
    return f"CAST(unix_millis(CAST(concat('1970-01-01T', {clock}) AS TIMESTAMP)) AS INT)"


def timestamp_from_string(text: str) -> str:
    """ISO 8601, in which all but the year may be left out; UTC where no zone is given."""
    return f"unix_millis(CAST({_completed(text)} AS TIMESTAMP))"


def _completed(text: str) -> str:
    """Hours without minutes get them, and offsets get the colon that Spark needs."""
    stamp = _matched(
        text,
        r"^\s*([0-9]{4}(?:-[0-9]{2}(?:-[0-9]{2}(?:[T ](?:[0-9]{2}(?::[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?)?)?"
        r"(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?)?)?)\s*$",
    )
    with_minutes = f"regexp_replace({stamp}, {sql_string('^([^T ]+[T ][0-9]{2})(?=$|[Z+-])')}, '$1:00')"
    without_end = f"regexp_replace({with_minutes}, '[T ]$', '')"
    return f"regexp_replace({without_end}, {sql_string('([T ].*[+-][0-9]{2})([0-9]{2})$')}, '$1:$2')"


def to_string(text: str, source: SqlType, depth: int = 0) -> str:
    x, stamp = f"_s{depth}", sql_string(_STAMP)
    match source:
        case Decimal():
            return decimal_to_string(text, source)
        case Array(item):
            parts = f"transform({text}, {x} -> {_part_text(x, item, depth)})"
            return f"concat('[', array_join({parts}, ', '), ']')"
        case Map(key, value):
            entry = f"concat({_part_text(f'{x}.key', key, depth)}, '=', {_part_text(f'{x}.value', value, depth)})"
            return f"concat('{{', array_join(transform(map_entries({text}), {x} -> {entry}), ', '), '}}')"
        case Struct(fields):
            return let(text, lambda value: _struct_text(value, fields, depth))
        case _ if source == TIMESTAMP:
            return let(text, lambda x: _within(x, _MILLIS_MAX, f"date_format(timestamp_millis({x}), {stamp})"))
        case _ if source == DATE:
            return let(text, lambda x: _within(x, _DAYS_MAX, f"date_format(date_from_unix_date({x}), 'yyyy-MM-dd')"))
        case _ if source == TIME:
            return time_to_string(text)
        case _ if source == BYTES:
            raise KsqlError("Cast of BYTES to STRING is not supported")
        case _:
            return f"CAST({text} AS STRING)"


def _within(text: str, limit: str, value: str) -> str:
    """Null for times that Spark cannot hold, where it would end the query."""
    return f"IF({text} BETWEEN -{limit} AND {limit}, {value}, NULL)"


def _part_text(text: str, kind: SqlType, depth: int) -> str:
    part = text if kind == STRING else to_string(text, kind, depth + 1)
    return f"coalesce({part}, 'null')"


def _struct_text(text: str, fields: tuple[Field, ...], depth: int) -> str:
    """As Connect writes structs: fields that are null are left out."""
    parts: list[str] = []
    for field in fields:
        value = f"{text}.{quoted(field.name)}"
        as_text = value if field.type == STRING else to_string(value, field.type, depth + 1)
        parts.append(f"concat({sql_string(field.name + '=')}, {as_text})")
    joined = f"concat_ws(',', {', '.join(parts)})" if parts else "''"
    return f"IF({text} IS NULL, NULL, concat('Struct{{', {joined}, '}}'))"


def time_to_string(text: str) -> str:
    """As short as it can be: seconds and their fraction only where they are not zero."""
    whole = f"date_format(timestamp_millis({text}), 'HH:mm:ss.SSS')"
    return f"regexp_replace({whole}, {sql_string(_ZERO_SECONDS)}, '')"


def decimal_to_string(text: str, kind: Decimal) -> str:
    """Plain digits, never an exponent."""
    if kind.scale <= _PLAIN_SCALE_MAX:
        return f"CAST({text} AS STRING)"

    def plain(value: str) -> str:
        sign = f"IF({value} < 0, '-', '')"
        whole = f"CAST(floor(abs({value})) AS STRING)"
        # One more than the fraction has no leading zeros, so it is written without an exponent.
        digits = f"substring(CAST(abs({value}) % 1BD + 1BD AS STRING), 3)"
        return f"concat({sign}, {whole}, '.', {digits})"

    return let(text, plain)
