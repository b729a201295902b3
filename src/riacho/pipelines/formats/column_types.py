"""What the formats share about types: Spark's to Arrow's, Connect's names of logical types, merging of structs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_type
from pyspark.sql.types import DataType, StructField, StructType

from riacho.pipelines.records import SCHEMA_NAME, SCHEMA_VERSION

DECIMAL = "org.apache.kafka.connect.data.Decimal"
DATE = "org.apache.kafka.connect.data.Date"
TIME = "org.apache.kafka.connect.data.Time"
TIMESTAMP = "org.apache.kafka.connect.data.Timestamp"
# Metadata of a field: its default as JSON text, where its schema has one.
DEFAULT = "connect.default"
# Metadata of a field whose schema is not optional. Spark's own flag is not used for it: a column that says it has no
# nulls must never have one, and a row that failed has nothing else.
REQUIRED = "connect.required"
DECIMAL_DIGITS_MAX = 38


class FormatError(ValueError):
    """A type or value that the format has no form for, said in one sentence."""


def arrow_type(spark_type: DataType) -> pa.DataType:
    """As Spark expects it from Python: timestamps in microseconds, UTC."""
    return to_arrow_type(spark_type, timezone="UTC")


def field_of(name: str, kind: DataType, optional: bool, metadata: Mapping[str, Any] | None = None) -> StructField:
    required = {} if optional else {REQUIRED: True}
    return StructField(name, kind, True, {**(metadata or {}), **required})


def is_optional(field: StructField) -> bool:
    return field.nullable and not (field.metadata or {}).get(REQUIRED)


def named(name: str | None, version: int | None = None, **more: Any) -> dict[str, Any]:
    """Metadata of a column or field whose schema has a name."""
    found: dict[str, Any] = dict(more)
    if name:
        found[SCHEMA_NAME] = name
    if version is not None:
        found[SCHEMA_VERSION] = version
    return found


def merged(one: DataType, other: DataType) -> DataType:
    """The fields of both, those of `one` first. FormatError where the same place has two types."""
    if one == other:
        return one
    if not (isinstance(one, StructType) and isinstance(other, StructType)):
        raise FormatError(f"{one.simpleString()} and {other.simpleString()} cannot be one column")
    known: Mapping[str, StructField] = {field.name: field for field in one.fields}
    fields = []
    others = {field.name: field for field in other.fields}
    for field in one.fields:
        twin = others.pop(field.name, None)
        kind = field.dataType if twin is None else merged(field.dataType, twin.dataType)
        fields.append(StructField(field.name, kind, True, known[field.name].metadata))
    fields += [StructField(field.name, field.dataType, True, field.metadata) for field in others.values()]
    return StructType(fields)


def projected(values: pa.Array, target: pa.DataType) -> pa.Array:
    """A struct column with the fields of a merged type, null where it has them not."""
    if values.type == target:
        return values
    if not (pa.types.is_struct(values.type) and pa.types.is_struct(target)):
        return values.cast(target)
    names = {field.name: index for index, field in enumerate(values.type)}
    columns = [
        projected(values.field(names[field.name]), field.type)
        if field.name in names
        else pa.nulls(len(values), field.type)
        for field in target
    ]
    mask = values.is_null() if values.null_count else None
    return pa.StructArray.from_arrays(columns, fields=list(target), mask=mask)
