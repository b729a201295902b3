"""The .proto text that a Spark struct becomes, as Connect's Protobuf converter would write it.

Fields are numbered in their order; structs inside are messages inside. Scalars that may be null are `optional`, so that
null is not lost in zero (Connect's `optional.for.nullables`, which is on here).
"""

from __future__ import annotations

import re
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

from riacho.pipelines.formats.column_types import FormatError, is_optional
from riacho.pipelines.records import SCHEMA_NAME

_SCALARS: dict[type[DataType], str] = {
    ByteType: "int32",
    ShortType: "int32",
    IntegerType: "int32",
    LongType: "int64",
    FloatType: "float",
    DoubleType: "double",
    BooleanType: "bool",
    StringType: "string",
    BinaryType: "bytes",
    NullType: "string",
}
_MESSAGES: dict[type[DataType], tuple[str, str]] = {
    TimestampType: ("google.protobuf.Timestamp", "google/protobuf/timestamp.proto"),
    TimestampNTZType: ("google.protobuf.Timestamp", "google/protobuf/timestamp.proto"),
    DateType: ("google.type.Date", "google/type/date.proto"),
    DecimalType: ("confluent.type.Decimal", "confluent/type/decimal.proto"),
}
_KEYS = (ByteType, ShortType, IntegerType, LongType, BooleanType, StringType)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def protobuf_schema(kind: DataType, metadata: Mapping[str, Any]) -> str:
    """Text of the schema of a key or value; a value that is no struct has none (a message is one)."""
    if not isinstance(kind, StructType):
        raise FormatError(f"A column of type {kind.simpleString()} has no Protobuf form: only structs have")
    return _Schema().text(kind, metadata.get(SCHEMA_NAME))


class _Schema:
    def __init__(self) -> None:
        self._imports: dict[str, None] = {}
        self._unnamed = 0

    def text(self, kind: StructType, name: str | None) -> str:
        space, _, simple = (name or "").rpartition(".")
        message = self._message(kind, simple, "")
        head = 'syntax = "proto3";\n' + (f"package {space};\n" if space else "")
        imports = "".join(f'import "{path}";\n' for path in sorted(self._imports))
        return head + imports + message

    def _message(self, kind: StructType, name: str, indent: str) -> str:
        if not name:
            self._unnamed += 1
            name = f"ConnectDefault{self._unnamed}"
        inner: list[str] = []
        fields = [self._field(field, number, inner, indent + "  ") for number, field in enumerate(kind.fields, 1)]
        body = "".join([*fields, *inner])
        return f"{indent}message {name} {{\n{body}{indent}}}\n"

    def _field(self, field: StructField, number: int, inner: list[str], indent: str) -> str:
        if not _NAME.fullmatch(field.name):
            raise FormatError(f"The field {field.name!r} has no name that Protobuf allows")
        kind, label = field.dataType, ""
        match kind:
            case ArrayType():
                label = "repeated "
                typed = self._type(kind.elementType, field, inner, indent)
            case MapType():
                if not isinstance(kind.keyType, _KEYS):
                    raise FormatError(f"Protobuf has no map with keys of type {kind.keyType.simpleString()}")
                key = self._type(kind.keyType, field, inner, indent)
                typed = f"map<{key}, {self._type(kind.valueType, field, inner, indent)}>"
            case _:
                typed = self._type(kind, field, inner, indent)
                label = "optional " if is_optional(field) and type(kind) in _SCALARS else ""
        return f"{indent}{label}{typed} {field.name} = {number};\n"

    def _type(self, kind: DataType, field: StructField, inner: list[str], indent: str) -> str:
        if type(kind) in _SCALARS:
            return _SCALARS[type(kind)]
        if type(kind) in _MESSAGES:
            name, path = _MESSAGES[type(kind)]
            self._imports[path] = None
            return name
        if isinstance(kind, StructType):
            schema_name = (field.metadata or {}).get(SCHEMA_NAME)
            self._unnamed += 0 if schema_name else 1
            name = schema_name.rpartition(".")[2] if schema_name else f"ConnectDefault{self._unnamed}"
            if any(f"message {name} {{" in each.split("\n", 1)[0] for each in inner):
                self._unnamed += 1
                name = f"{name}{self._unnamed}"
            inner.append(self._message(kind, name, indent))
            return name
        raise FormatError(f"{kind.simpleString()} inside the field {field.name} has no Protobuf form")
