"""What a Protobuf message means to Connect, and so to ksqlDB: which fields are times, maps, oneofs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from google.protobuf.descriptor import FieldDescriptor  # type: ignore[import-untyped]

DECIMAL = "confluent.type.Decimal"
DATE = "google.type.Date"
TIME = "google.type.TimeOfDay"
TIMESTAMP = "google.protobuf.Timestamp"
WRAPPERS = frozenset(
    f"google.protobuf.{name}Value"
    for name in ("Double", "Float", "Int64", "UInt64", "Int32", "UInt32", "Bool", "String", "Bytes")
)

_MESSAGES = {DECIMAL: "bytes", DATE: "int32", TIME: "int32", TIMESTAMP: "int64"}
_SCALARS = {
    FieldDescriptor.TYPE_INT32: "int32",
    FieldDescriptor.TYPE_SINT32: "int32",
    FieldDescriptor.TYPE_SFIXED32: "int32",
    FieldDescriptor.TYPE_FLOAT: "float32",
    FieldDescriptor.TYPE_DOUBLE: "float64",
    FieldDescriptor.TYPE_BOOL: "boolean",
    FieldDescriptor.TYPE_STRING: "string",
    FieldDescriptor.TYPE_BYTES: "bytes",
    FieldDescriptor.TYPE_ENUM: "string",
}


def is_message(field: Any) -> bool:
    return bool(field.cpp_type == FieldDescriptor.CPPTYPE_MESSAGE)


def is_enum(field: Any) -> bool:
    return bool(field.type == FieldDescriptor.TYPE_ENUM)


def is_entry(message: Any) -> bool:
    """By Connect's rule: its name ends so, and it has a key and a value."""
    return message.name.endswith("Entry") and [field.name for field in message.fields] == ["key", "value"]


def is_map(field: Any) -> bool:
    return bool(field.is_repeated and is_message(field) and is_entry(field.message_type))


def is_native_map(field: Any) -> bool:
    """Whether the runtime has it as a mapping, rather than as a list of entries."""
    return bool(field.message_type.GetOptions().map_entry)


def is_wrapper(field: Any) -> bool:
    return is_message(field) and field.message_type.full_name in WRAPPERS


def value_name(field: Any) -> str:
    """The Connect type of one value of the field by its name, as ksqlDB's errors have it."""
    if not is_message(field):
        return _SCALARS.get(field.type, "int64")
    return _MESSAGES.get(field.message_type.full_name, "struct")


def connect_name(field: Any) -> str:
    if is_map(field):
        return "map"
    return "array" if field.is_repeated else value_name(field)


def plain_fields(message: Any) -> list[Any]:
    """Those that are in no oneof; `optional` makes one in which a field is alone, which does not count."""
    return [field for field in message.fields if _real_oneof(field) is None]


def oneofs(message: Any) -> Iterator[tuple[str, Any]]:
    """Connect's names of oneofs (`choice_0`), and the oneofs."""
    for at, oneof in enumerate(message.oneofs):
        if any(_real_oneof(field) is not None for field in oneof.fields):
            yield f"{oneof.name}_{at}", oneof


def _real_oneof(field: Any) -> Any:
    oneof = field.containing_oneof
    is_synthetic = oneof is not None and len(oneof.fields) == 1 and oneof.name == f"_{field.name}"
    return None if oneof is None or (is_synthetic and field.has_presence) else oneof
