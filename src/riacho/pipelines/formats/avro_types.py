"""Avro's types as Spark's: the mapping that Connect's Avro converter has, logical types and all.

What Spark has no type for keeps a trace in the field's metadata: the name of a record, of an enum, of Connect's Time.
"""

from __future__ import annotations

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from riacho.pipelines.formats.column_types import (
    DECIMAL_DIGITS_MAX,
    DEFAULT,
    REQUIRED,
    TIME,
    FormatError,
    field_of,
    named,
)
from riacho.schemas.avro.logical_types import logical_type
from riacho.schemas.avro.types import Array, AvroType, Kind, Record, RecordField, Union
from riacho.schemas.avro.types import MapType as AvroMap
from riacho.schemas.json_text import write_json

UNION_NAME = "io.confluent.connect.avro.Union"
_ENTRY = "MapEntry"
_PLAIN: dict[Kind, DataType] = {
    Kind.STRING: StringType(),
    Kind.BYTES: BinaryType(),
    Kind.FIXED: BinaryType(),
    Kind.ENUM: StringType(),
    Kind.INT: IntegerType(),
    Kind.LONG: LongType(),
    Kind.FLOAT: FloatType(),
    Kind.DOUBLE: DoubleType(),
    Kind.BOOLEAN: BooleanType(),
    Kind.NULL: StringType(),
}
_LOGICAL: dict[str, DataType] = {
    "date": DateType(),
    "timestamp-millis": TimestampType(),
    "timestamp-micros": TimestampType(),
    "timestamp-nanos": TimestampType(),
    "local-timestamp-millis": TimestampNTZType(),
    "local-timestamp-micros": TimestampNTZType(),
    "local-timestamp-nanos": TimestampNTZType(),
}
_NARROW: dict[object, DataType] = {"int8": ByteType(), "int16": ShortType()}


def spark_field(name: str, avro_type: AvroType, within: tuple[AvroType, ...] = ()) -> StructField:
    """The column that a type becomes. FormatError for a type inside itself: no column can be that deep."""
    if isinstance(avro_type, Record) and avro_type in within:
        raise FormatError(f"The Avro type {avro_type.label} contains itself, which no column can")
    inside = (*within, avro_type)
    match avro_type:
        case Record():
            fields = [_field(field, inside) for field in avro_type.fields]
            return field_of(name, StructType(fields), False, _named(avro_type))
        case Union():
            return _union(name, avro_type, inside)
        case Array():
            entry = map_entry(avro_type)
            if entry is not None:
                key, value = (spark_field("", field.type, inside) for field in entry.fields)
                return field_of(name, MapType(key.dataType, value.dataType), False)
            return field_of(name, ArrayType(spark_field("", avro_type.items, inside).dataType), False)
        case AvroMap():
            values = spark_field("", avro_type.values, inside)
            return field_of(name, MapType(StringType(), values.dataType), False)
        case _:
            return field_of(name, _scalar(avro_type), avro_type.kind is Kind.NULL, _named(avro_type))


def _field(field: RecordField, within: tuple[AvroType, ...]) -> StructField:
    found = spark_field(field.name, field.type, within)
    if not field.has_default or field.default is None:
        return found
    return StructField(found.name, found.dataType, True, {**found.metadata, DEFAULT: write_json(field.default)})


def _scalar(avro_type: AvroType) -> DataType:
    logical = logical_type(avro_type)
    if logical == "decimal":
        precision, scale = decimal_shape(avro_type)
        return DecimalType(precision, scale)
    if logical in _LOGICAL:
        return _LOGICAL[logical]
    if avro_type.kind is Kind.INT and avro_type.props.get("connect.type") in _NARROW:
        return _NARROW[avro_type.props["connect.type"]]
    return _PLAIN[avro_type.kind]


def decimal_shape(avro_type: AvroType) -> tuple[int, int]:
    """Precision and scale. Connect writes a precision of 64 for decimals without one: the most Spark has is 38."""
    precision, scale = avro_type.props.get("precision"), avro_type.props.get("scale", 0)
    assert isinstance(precision, int), "the parser has checked it"
    assert isinstance(scale, int), "the parser has checked it"
    if scale > DECIMAL_DIGITS_MAX:
        raise FormatError(f"A decimal with scale {scale} has more digits than the {DECIMAL_DIGITS_MAX} of a column")
    return min(precision, DECIMAL_DIGITS_MAX), scale


def _union(name: str, union: Union, within: tuple[AvroType, ...]) -> StructField:
    branches = solid_branches(union)
    optional = len(branches) < len(union.branches)
    if not branches:
        return field_of(name, StringType(), True)
    if len(branches) == 1:
        only = spark_field(name, branches[0], within)
        metadata = {key: value for key, value in only.metadata.items() if key != REQUIRED}
        return field_of(name, only.dataType, optional, metadata)
    fields = [
        field_of(branch_name(branch), spark_field("", branch, within).dataType, True, _named(branch))
        for branch in branches
    ]
    return field_of(name, StructType(fields), optional, named(UNION_NAME))


def solid_branches(union: Union) -> list[AvroType]:
    return [branch for branch in union.branches if branch.kind is not Kind.NULL]


def branch_name(branch: AvroType) -> str:
    return branch.label.rpartition(".")[2]


def map_entry(array: Array) -> Record | None:
    """The record of key and value, where the array is how Connect writes a map whose keys are no strings."""
    items = array.items
    if not isinstance(items, Record) or [field.name for field in items.fields] != ["key", "value"]:
        return None
    return items if items.name.simple == _ENTRY or "connect.internal.type" in items.props else None


def _named(avro_type: AvroType) -> dict[str, object]:
    if logical_type(avro_type) == "time-millis":
        return named(TIME, 1)
    name, version = avro_type.props.get("connect.name"), avro_type.props.get("connect.version")
    if avro_type.kind is Kind.RECORD and not isinstance(name, str):
        name = avro_type.label
    is_logical = logical_type(avro_type) is not None
    if not isinstance(name, str) or is_logical:
        return {}
    return named(name, version if isinstance(version, int) else None)
