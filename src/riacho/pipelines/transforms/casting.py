"""One value cast as Java casts it: integers wrap around, floats are cut to what fits, text is parsed strictly.

Spark's own casts differ in all three (they fail or give null, trim blanks, take "12.5" for an int), hence the detours.
Hexadecimal floating point text, which Java takes, is refused here.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from riacho.pipelines.transforms.part import java_class, null_of
from riacho.pipelines.transforms.simple_text import column_text, epoch_millis

TARGETS: Mapping[str, T.DataType] = {
    "INT8": T.ByteType(),
    "INT16": T.ShortType(),
    "INT32": T.IntegerType(),
    "INT64": T.LongType(),
    "FLOAT32": T.FloatType(),
    "FLOAT64": T.DoubleType(),
    "BOOLEAN": T.BooleanType(),
    "STRING": T.StringType(),
}
_BITS = {"INT8": 8, "INT16": 16, "INT32": 32, "INT64": 64}
_WIDTHS: Mapping[type[T.DataType], int] = {T.ByteType: 8, T.ShortType: 16, T.IntegerType: 32} | dict.fromkeys(
    (T.FloatType, T.DoubleType, T.DecimalType), 99
)
_NESTED = {T.StructType: "STRUCT", T.ArrayType: "ARRAY", T.MapType: "MAP"}
_DIGITS = r"\A[+-]?[0-9]+\z"
_FLOATING = r"\A[\x00-\x20]*[+-]?(?:NaN|Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[fFdD]?)[\x00-\x20]*\z"
_SUFFIX = r"(?<=[0-9.])[fFdD](?=[\x00-\x20]*\z)"


def cast_value(column: Column, source: T.DataType, target: str, is_schemaless: bool) -> tuple[Column, Column | None]:
    """The cast value, and why it fails where it does; null is cast to null."""
    kind = TARGETS[target]
    if isinstance(source, T.NullType):
        return null_of(kind), None
    if type(source) in _NESTED:
        found = "MAP" if is_schemaless and isinstance(source, T.StructType) else _NESTED[type(source)]
        message = (
            f"Cast transformation does not support casting from {found}; supported types are "
            f"[{', '.join([*TARGETS, 'BYTES'])}]"
        )
        return null_of(kind), F.when(column.isNotNull(), F.lit(message))
    if target == "STRING":
        return column_text(column, source), None
    match source:
        case T.BinaryType():
            message = f"Unexpected type in Cast transformation: class {java_class(source)}"
            return null_of(kind), F.when(column.isNotNull(), F.lit(message))
        case T.StringType():
            return _of_text(column, target)
        case T.BooleanType():
            return (column if target == "BOOLEAN" else column.cast("int").cast(kind)), None
        case T.DateType():
            return _of_number(F.unix_date(column), T.IntegerType(), target), None
        case T.TimestampType():
            return _of_number(epoch_millis(column, source), T.LongType(), target), None
        case _:
            return _of_number(column, source, target), None


def _of_text(column: Column, target: str) -> tuple[Column, Column | None]:
    kind = TARGETS[target]
    if target == "BOOLEAN":
        return F.lower(column) == F.lit("true"), None
    if target in _BITS:
        value = F.when(column.rlike(_DIGITS), column.try_cast(kind))
    else:
        value = F.when(column.rlike(_FLOATING), F.regexp_replace(column, _SUFFIX, "").try_cast(kind))
    message = F.concat(F.lit("Value ("), column, F.lit(") was out of range for requested data type"))
    return value, F.when(column.isNotNull() & value.isNull(), message)


def _of_number(column: Column, source: T.DataType, target: str) -> Column:
    kind = TARGETS[target]
    if target == "BOOLEAN":
        return _whole(column, source, 64) != F.lit(0)
    if target not in _BITS:
        return column.cast(kind)
    bits = _BITS[target]
    if _WIDTHS.get(type(source), 64) <= bits:
        return column.cast(kind)
    whole = _whole(column, source, max(bits, 32))
    is_cut = isinstance(source, T.FloatType | T.DoubleType) and bits >= 32
    return (whole if is_cut else _wrapped(whole, bits)).cast(kind)


def _whole(column: Column, source: T.DataType, bits: int) -> Column:
    """A bigint; of a floating point number the nearest that `bits` can hold, and 0 for NaN."""
    if not isinstance(source, T.FloatType | T.DoubleType):
        return column.try_cast("bigint")
    high = (1 << (bits - 1)) - 1
    number = column.cast("double")
    return (
        F.when(F.isnan(number), F.lit(0).cast("bigint"))
        .when(number >= F.lit(float(high)), F.lit(high).cast("bigint"))
        .when(number <= F.lit(float(-high - 1)), F.lit(-high - 1).cast("bigint"))
        .otherwise(number.try_cast("bigint"))
    )


def _wrapped(whole: Column, bits: int) -> Column:
    """The lowest bits, read as a number with a sign."""
    if bits == 64:
        return whole
    low = whole.bitwiseAND(F.lit((1 << bits) - 1).cast("bigint"))
    return F.when(low >= F.lit(1 << (bits - 1)), low - F.lit(1 << bits)).otherwise(low)
