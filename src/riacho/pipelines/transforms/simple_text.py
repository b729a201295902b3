"""Values as the text that SimpleHeaderConverter writes: of a setting's literal, and of a column.

Arrays, maps and structs become JSON, as there; what differs is only how JSON escapes rare characters.
"""

from __future__ import annotations

import json
import re
import struct
from decimal import Decimal

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from riacho.base.config import java_double_text

MILLIS_A_DAY = 86_400_000
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
_FLOAT_MAX = 3.4028234663852886e38


def literal_text(literal: str) -> str | None:
    """What a literal reads as after it was parsed and written: numbers in their plain form, JSON without blanks."""
    if literal == "null":
        return None
    if _NUMBER.fullmatch(literal):
        return _number_text(Decimal(literal))
    if literal[:1] in ("[", "{"):
        try:
            return json.dumps(json.loads(literal), separators=(",", ":"), ensure_ascii=False)
        except ValueError:
            return literal
    return literal


def _number_text(number: Decimal) -> str:
    if number == number.to_integral_value():
        whole = int(number)
        if -(1 << 63) <= whole < 1 << 63:
            return str(whole)
        return java_double_text(float(number)) if "E" in str(number) else str(whole)
    value = float(number)
    return _float_text(value) if abs(value) <= _FLOAT_MAX else java_double_text(value)


def _float_text(value: float) -> str:
    """`Float.toString`: the fewest digits that still mean the same 32 bits."""
    single = struct.pack(">f", value)
    for digits in range(1, 10):
        shorter = float(f"{value:.{digits}g}")
        if struct.pack(">f", shorter) == single:
            return java_double_text(shorter)
    return java_double_text(value)


def column_text(column: Column, kind: T.DataType) -> Column:
    """The same of a column; null stays null."""
    match kind:
        case T.BinaryType():
            return F.base64(column)
        case T.DateType() | T.TimestampType():
            return date_text(epoch_millis(column, kind))
        case T.StructType() | T.ArrayType() | T.MapType():
            return F.to_json(column, {"ignoreNullFields": "false"})
        case _:
            return column.cast("string")


def epoch_millis(column: Column, kind: T.DataType) -> Column:
    if isinstance(kind, T.DateType):
        return F.unix_date(column).cast("bigint") * F.lit(MILLIS_A_DAY)
    return F.unix_millis(column)


def date_text(millis: Column) -> Column:
    """Connect's text of a java.util.Date: the time of the day within the first day, a date at midnight, else both."""
    moment = F.timestamp_millis(millis)
    return (
        F.when(millis < MILLIS_A_DAY, F.date_format(moment, "HH:mm:ss.SSS'Z'"))
        .when(millis % MILLIS_A_DAY == 0, F.date_format(moment, "yyyy-MM-dd"))
        .otherwise(F.date_format(moment, "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'"))
    )
