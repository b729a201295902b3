"""Between typed columns and those that JSON has, as native expressions: Connect's forms of its logical types.

Dates are days, timestamps milliseconds, bytes base64, decimals base64 of the unscaled number or (NUMERIC) a number,
maps whose keys are no strings lists of pairs.
"""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    DataType,
    DateType,
    DecimalType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
    VariantType,
)

_TIMES = (TimestampType, TimestampNTZType)
# A whole number of two's complement without the bytes that only repeat its sign.
_SIGN_BYTES = r"^(?:00)+(?=[0-7][0-9A-F])|^(?:FF)+(?=[89A-F][0-9A-F])"
_TWO_64 = "CAST(18446744073709551616 AS DECIMAL(38,0))"


def once(value: Column, use: Callable[[Column], Column]) -> Column:
    """`use(value)` with the value computed once.

    An expression that stands in another several times is computed each time, if any of them is under a condition; and
    as expressions are put into expressions, a text would be parsed hundreds of times.
    """
    return F.transform(F.array(value), use)[0]


def to_wire(value: Column, kind: DataType, numeric: bool) -> Column:
    """What `to_json` writes as Connect would."""
    match kind:
        case DateType():
            return F.unix_date(value)
        case TimestampType():
            return F.unix_millis(value)
        case TimestampNTZType():
            return F.unix_millis(value.cast("timestamp"))
        case DecimalType():
            return value if numeric else F.base64(decimal_bytes(value, kind))
        case ArrayType() if differs(kind.elementType, numeric):
            return F.transform(value, lambda item: to_wire(item, kind.elementType, numeric))
        case MapType() if not isinstance(kind.keyType, StringType):
            return F.transform(
                F.map_entries(value),
                lambda entry: F.array(
                    _variant(to_wire(entry["key"], kind.keyType, numeric), kind.keyType),
                    _variant(to_wire(entry["value"], kind.valueType, numeric), kind.valueType),
                ),
            )
        case MapType() if differs(kind.valueType, numeric):
            return F.transform_values(value, lambda _, item: to_wire(item, kind.valueType, numeric))
        case StructType() if differs(kind, numeric):
            fields = [to_wire(value[field.name], field.dataType, numeric).alias(field.name) for field in kind.fields]
            return F.when(value.isNotNull(), F.struct(*fields))
        case _:
            return value


def _variant(value: Column, kind: DataType) -> Column:
    return F.to_variant_object(value) if isinstance(kind, ArrayType | MapType | StructType) else value.cast("variant")


def differs(kind: DataType, numeric: bool = False) -> bool:
    """Whether JSON has another type for it."""
    match kind:
        case StructType():
            return any(differs(field.dataType, numeric) for field in kind.fields)
        case ArrayType():
            return differs(kind.elementType, numeric)
        case MapType():
            return not isinstance(kind.keyType, StringType) or differs(kind.valueType, numeric)
        case DecimalType():
            return not numeric
        case _:
            return isinstance(kind, (DateType, *_TIMES))


def decimal_bytes(value: Column, kind: DecimalType) -> Column:
    """The unscaled number in as few big endian bytes as it needs."""
    digits = F.regexp_replace(value.cast("string"), r"\.", "")
    unscaled = digits.cast(DecimalType(38, 0))
    low = F.call_function("pmod", unscaled, F.expr(_TWO_64))
    high = ((unscaled - low) / F.expr(_TWO_64)).cast("bigint")
    text = F.concat(F.lpad(F.hex(high), 16, "0"), F.lpad(F.conv(low.cast("string"), 10, 16), 16, "0"))
    return F.unhex(F.regexp_replace(text, _SIGN_BYTES, ""))


def wire_type(kind: DataType) -> DataType:
    """The type that `from_json` reads for a type."""
    match kind:
        case DateType():
            return IntegerType()
        case TimestampType() | TimestampNTZType():
            return LongType()
        case DecimalType():
            return VariantType()
        case ArrayType():
            return ArrayType(wire_type(kind.elementType))
        case MapType() if isinstance(kind.keyType, StringType):
            return MapType(StringType(), wire_type(kind.valueType))
        case MapType():
            return ArrayType(ArrayType(VariantType()))
        case StructType():
            return StructType([StructField(field.name, wire_type(field.dataType)) for field in kind.fields])
        case _:
            return kind


def from_wire(value: Column, kind: DataType) -> Column:
    """The typed value of what was read as `wire_type`."""
    match kind:
        case DateType():
            return F.date_from_unix_date(value)
        case TimestampType():
            return F.timestamp_millis(value)
        case TimestampNTZType():
            return F.timestamp_millis(value).cast("timestamp_ntz")
        case DecimalType():
            return _decimal(value, kind)
        case ArrayType() if differs(kind.elementType):
            return F.transform(value, lambda item: from_wire(item, kind.elementType))
        case MapType() if not isinstance(kind.keyType, StringType):
            return F.map_from_entries(
                F.transform(
                    value,
                    lambda pair: F.struct(
                        _from_variant(pair[0], kind.keyType).alias("key"),
                        _from_variant(pair[1], kind.valueType).alias("value"),
                    ),
                )
            )
        case MapType() if differs(kind.valueType):
            return F.transform_values(value, lambda _, item: from_wire(item, kind.valueType))
        case StructType() if differs(kind):
            fields = [from_wire(value[field.name], field.dataType).alias(field.name) for field in kind.fields]
            return F.when(value.isNotNull(), F.struct(*fields))
        case _:
            return value


def _from_variant(value: Column, kind: DataType) -> Column:
    if isinstance(kind, BinaryType):
        return F.unbase64(F.try_variant_get(value, "$", "string"))
    return from_wire(F.try_variant_get(value, "$", wire_type(kind).simpleString()), kind)


def _decimal(value: Column, kind: DecimalType) -> Column:
    """A JSON number as it is, a string as base64 of the unscaled number."""
    raw = F.hex(F.try_to_binary(F.try_variant_get(value, "$", "string"), F.lit("base64")))
    sign = F.when(F.substring(raw, 1, 1) >= "8", F.lit("F")).otherwise(F.lit("0"))
    # Up to 16 bytes: 38 digits need no more.
    padded = F.lpad(raw, 32, "0")
    wide = F.when(sign == "F", F.concat(F.repeat(F.lit("F"), F.lit(32) - F.length(raw)), raw)).otherwise(padded)
    high = F.conv(F.substring(wide, 1, 16), 16, -10).cast(DecimalType(38, 0))
    low = F.conv(F.substring(wide, 17, 16), 16, 10).cast(DecimalType(38, 0))
    unscaled = F.try_add(F.try_multiply(high, F.expr(_TWO_64)), low)
    text = F.concat(unscaled.cast("string"), F.lit(f"E-{kind.scale}"))
    from_bytes = F.when(F.length(raw) <= 32, text.try_cast(kind))
    number = F.try_variant_get(value, "$", kind.simpleString())
    return F.when(F.schema_of_variant(value) == "STRING", from_bytes).otherwise(number)
