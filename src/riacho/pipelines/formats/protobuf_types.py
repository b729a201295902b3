"""Protobuf's messages as Spark's structs, in the way of Connect's Protobuf converter.

Enums are strings; a oneof's fields are fields like others, of which one is set; wrappers are optional values; Timestamp
is a timestamp, google.type.Date a date, and Confluent's Decimal a decimal. Fields come in the order of their
numbers, as the converter has them.
"""

from __future__ import annotations

from typing import Any

from google.protobuf.descriptor import FieldDescriptor as Fd  # type: ignore[import-untyped]
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from riacho.pipelines.formats.column_types import FormatError, field_of, named

TIMESTAMP = "google.protobuf.Timestamp"
DATE = "google.type.Date"
DECIMAL = "confluent.type.Decimal"
_WRAPPERS = frozenset(
    f"google.protobuf.{name}Value"
    for name in ("Double", "Float", "Int64", "UInt64", "Int32", "UInt32", "Bool", "String", "Bytes")
)
_SCALARS: dict[int, DataType] = {
    Fd.TYPE_DOUBLE: DoubleType(),
    Fd.TYPE_FLOAT: FloatType(),
    Fd.TYPE_INT64: LongType(),
    Fd.TYPE_UINT64: LongType(),
    Fd.TYPE_INT32: IntegerType(),
    Fd.TYPE_FIXED64: LongType(),
    Fd.TYPE_FIXED32: LongType(),
    Fd.TYPE_BOOL: BooleanType(),
    Fd.TYPE_STRING: StringType(),
    Fd.TYPE_BYTES: BinaryType(),
    Fd.TYPE_UINT32: LongType(),
    Fd.TYPE_ENUM: StringType(),
    Fd.TYPE_SFIXED32: IntegerType(),
    Fd.TYPE_SFIXED64: LongType(),
    Fd.TYPE_SINT32: IntegerType(),
    Fd.TYPE_SINT64: LongType(),
}
# Each value may have a scale of its own; the column has one, with room on both sides of the point.
DECIMAL_TYPE = DecimalType(38, 18)


def is_message(field: Any) -> bool:
    return field.type in (Fd.TYPE_MESSAGE, Fd.TYPE_GROUP)


def is_map(field: Any) -> bool:
    return is_message(field) and field.is_repeated and bool(field.message_type.GetOptions().map_entry)


def is_wrapper(descriptor: Any) -> bool:
    return descriptor.full_name in _WRAPPERS


def fields_of(descriptor: Any) -> list[Any]:
    return sorted(descriptor.fields, key=lambda field: int(field.number))


def message_type(descriptor: Any, within: tuple[str, ...] = ()) -> DataType:
    """The type of a message. FormatError for one inside itself: no column can be that deep."""
    name = descriptor.full_name
    if name == TIMESTAMP:
        return TimestampType()
    if name == DATE:
        return DateType()
    if name == DECIMAL:
        return DECIMAL_TYPE
    if is_wrapper(descriptor):
        return _SCALARS[descriptor.fields_by_name["value"].type]
    if name in within:
        raise FormatError(f"The message {name} contains itself, which no column can")
    return StructType([_field(field, (*within, name)) for field in fields_of(descriptor)])


def field_type(field: Any, within: tuple[str, ...] = ()) -> DataType:
    """The type of one value of a field, be it repeated or not."""
    return message_type(field.message_type, within) if is_message(field) else _SCALARS[field.type]


def _field(field: Any, within: tuple[str, ...]) -> StructField:
    if is_map(field):
        key, value = field.message_type.fields_by_name["key"], field.message_type.fields_by_name["value"]
        return field_of(field.name, MapType(field_type(key, within), field_type(value, within)), True)
    if field.is_repeated:
        return field_of(field.name, ArrayType(field_type(field, within)), True)
    kind = field_type(field, within)
    metadata = named(field.message_type.full_name) if isinstance(kind, StructType) else {}
    return field_of(field.name, kind, True, metadata)
