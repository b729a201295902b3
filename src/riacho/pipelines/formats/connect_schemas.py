"""Connect's schemas in their JSON form (`{"type":"struct","fields":[...],"optional":false}`) and Spark's types."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

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
    NullType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from riacho.pipelines.formats.column_types import (
    DATE,
    DECIMAL,
    DECIMAL_DIGITS_MAX,
    DEFAULT,
    TIME,
    TIMESTAMP,
    FormatError,
    field_of,
    is_optional,
    named,
)
from riacho.pipelines.records import SCHEMA_NAME, SCHEMA_VERSION

PRECISION = "connect.decimal.precision"
SCALARS: dict[str, DataType] = {
    "int8": ByteType(),
    "int16": ShortType(),
    "int32": IntegerType(),
    "int64": LongType(),
    "float": FloatType(),
    "float32": FloatType(),
    "double": DoubleType(),
    "float64": DoubleType(),
    "boolean": BooleanType(),
    "string": StringType(),
    "bytes": BinaryType(),
}
_LOGICAL: dict[str, DataType] = {DATE: DateType(), TIMESTAMP: TimestampType()}
_NAMES: dict[type[DataType], str] = {
    ByteType: "int8",
    ShortType: "int16",
    IntegerType: "int32",
    LongType: "int64",
    FloatType: "float",
    DoubleType: "double",
    BooleanType: "boolean",
    StringType: "string",
    BinaryType: "bytes",
    NullType: "string",
}


def connect_schema(kind: DataType, optional: bool, metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Keys in the order in which Kafka's converter writes them."""
    name, version, parameters = metadata.get(SCHEMA_NAME), metadata.get(SCHEMA_VERSION), None
    match kind:
        case StructType():
            fields = [
                connect_schema(field.dataType, is_optional(field), field.metadata or {}) | {"field": field.name}
                for field in kind.fields
            ]
            found: dict[str, Any] = {"type": "struct", "fields": fields}
        case ArrayType():
            found = {"type": "array", "items": connect_schema(kind.elementType, True, {})}
        case MapType():
            keys, values = connect_schema(kind.keyType, False, {}), connect_schema(kind.valueType, True, {})
            found = {"type": "map", "keys": keys, "values": values}
        case DecimalType():
            found, name, version = {"type": "bytes"}, DECIMAL, 1
            parameters = {"scale": str(kind.scale), PRECISION: str(kind.precision)}
        case DateType():
            found, name, version = {"type": "int32"}, DATE, 1
        case TimestampType() | TimestampNTZType():
            found, name, version = {"type": "int64"}, TIMESTAMP, 1
        case _:
            if type(kind) not in _NAMES:
                raise FormatError(f"A column of type {kind.simpleString()} has no form in Connect")
            found = {"type": _NAMES[type(kind)]}
    described = {"optional": optional, "name": name, "version": version, "parameters": parameters}
    found |= {key: value for key, value in described.items() if value is not None}
    if DEFAULT in metadata and name not in (DATE, TIMESTAMP, DECIMAL):
        found["default"] = json.loads(metadata[DEFAULT])
    return found


def spark_field(schema: Any, name: str = "") -> StructField:
    """The column that a schema becomes. FormatError for what is no schema."""
    if not isinstance(schema, dict):
        raise FormatError(f"{json.dumps(schema)[:100]} is no schema of Connect")
    metadata = named(schema.get("name"), schema.get("version"))
    if schema.get("default") is not None:
        metadata[DEFAULT] = json.dumps(schema["default"])
    kind = _type(schema)
    if schema.get("name") in (DATE, TIMESTAMP, DECIMAL):
        metadata.pop(SCHEMA_NAME)
        metadata.pop(SCHEMA_VERSION, None)
    return field_of(name, kind, bool(schema.get("optional")), metadata)


def _type(schema: Mapping[str, Any]) -> DataType:
    kind, name = schema.get("type"), schema.get("name")
    if kind == "struct":
        fields = schema.get("fields")
        if not isinstance(fields, list) or not all(
            isinstance(f, dict) and isinstance(f.get("field"), str) for f in fields
        ):
            raise FormatError('Struct schema\'s "fields" argument is not an array of fields with names')
        return StructType([spark_field(field, field["field"]) for field in fields])
    if kind == "array":
        return ArrayType(spark_field(schema.get("items")).dataType)
    if kind == "map":
        return MapType(spark_field(schema.get("keys")).dataType, spark_field(schema.get("values")).dataType)
    if name == DECIMAL and kind == "bytes":
        return _decimal(schema.get("parameters") or {})
    if name in _LOGICAL and kind in ("int32", "int64"):
        return _LOGICAL[name]
    if kind not in SCALARS:
        raise FormatError(f"Unknown schema type: {kind}")
    return SCALARS[str(kind)]


def _decimal(parameters: Mapping[str, Any]) -> DecimalType:
    try:
        scale, precision = int(parameters["scale"]), int(parameters.get(PRECISION, DECIMAL_DIGITS_MAX))
    except (KeyError, TypeError, ValueError):
        raise FormatError("Invalid Decimal schema: scale parameter not found.") from None
    if not 0 <= scale <= DECIMAL_DIGITS_MAX:
        raise FormatError(f"A decimal with scale {scale} does not fit the {DECIMAL_DIGITS_MAX} digits of a column")
    return DecimalType(max(min(precision, DECIMAL_DIGITS_MAX), scale, 1), scale)


def is_time(field: StructField) -> bool:
    return (field.metadata or {}).get(SCHEMA_NAME) == TIME
