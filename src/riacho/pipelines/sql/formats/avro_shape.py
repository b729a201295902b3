"""What an Avro schema means to Connect, and so to ksqlDB: which union is a nullable type, which array is a map."""

from __future__ import annotations

from riacho.schemas.avro.logical_types import logical_type
from riacho.schemas.avro.types import Array, AvroType, Fixed, Kind, NamedType, Record, Union

_ENTRY = "MapEntry"
_ENTRY_NAME = "io.confluent.connect.avro.MapEntry"


def without_null(avro: AvroType) -> AvroType:
    """Of a union of null and one other, the other."""
    if isinstance(avro, Union):
        others = [branch for branch in avro.branches if branch.kind is not Kind.NULL]
        if len(others) == 1:
            return others[0]
    return avro


def entry_of(avro: AvroType) -> Record | None:
    """The entries of an array that stands for a map."""
    if not isinstance(avro, Array) or not isinstance(avro.items, Record):
        return None
    entry = avro.items
    is_entry = entry.props.get("connect.internal.type") == _ENTRY or entry.name.full == _ENTRY_NAME
    return entry if is_entry and {"key", "value"} <= entry.by_name.keys() else None


def branch_name(avro: AvroType) -> str:
    """The field by which Connect's struct for a union holds a branch."""
    return avro.name.simple if isinstance(avro, NamedType) else avro.kind.value


def decimal_shape(avro: AvroType) -> tuple[int, int] | None:
    """Precision and scale, of what is a decimal."""
    if (avro.kind is not Kind.BYTES and not isinstance(avro, Fixed)) or logical_type(avro) != "decimal":
        return None
    precision, scale = avro.props["precision"], avro.props.get("scale", 0)
    assert isinstance(precision, int)
    assert isinstance(scale, int)
    return precision, scale


def connect_name(avro: AvroType) -> str:
    """The Connect type by its name, as ksqlDB's errors have it."""
    if entry_of(avro) is not None:
        return "map"
    return _CONNECT[avro.kind]


_CONNECT = {
    Kind.RECORD: "struct",
    Kind.UNION: "struct",
    Kind.ENUM: "string",
    Kind.STRING: "string",
    Kind.ARRAY: "array",
    Kind.MAP: "map",
    Kind.FIXED: "bytes",
    Kind.BYTES: "bytes",
    Kind.INT: "int32",
    Kind.LONG: "int64",
    Kind.FLOAT: "float32",
    Kind.DOUBLE: "float64",
    Kind.BOOLEAN: "boolean",
    Kind.NULL: "null",
}
