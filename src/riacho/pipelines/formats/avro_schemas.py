"""The Avro schema that a Spark type becomes, as Connect's Avro converter would write it.

Structs without a name are ConnectDefault in io.confluent.connect.avro, the second ConnectDefault2 and so on. An
optional field is a union with null and null for its default.
"""

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

from riacho.pipelines.formats.avro_types import UNION_NAME
from riacho.pipelines.formats.column_types import (
    DATE,
    DECIMAL,
    DEFAULT,
    TIME,
    TIMESTAMP,
    FormatError,
    is_optional,
)
from riacho.pipelines.records import SCHEMA_NAME, SCHEMA_VERSION

_SPACE = "io.confluent.connect.avro"
_PLAIN: dict[type[DataType], str] = {
    IntegerType: "int",
    LongType: "long",
    FloatType: "float",
    DoubleType: "double",
    BooleanType: "boolean",
    StringType: "string",
    BinaryType: "bytes",
    NullType: "null",
}


def avro_schema(kind: DataType, metadata: Mapping[str, Any]) -> str:
    """Text of the schema of a key or value; null is no part of it, since null is no payload at all."""
    return json.dumps(_Schemas().of(kind, metadata), separators=(",", ":"))


class _Schemas:
    def __init__(self) -> None:
        self._unnamed = 0
        self._defined: dict[str, DataType] = {}

    def of(self, kind: DataType, metadata: Mapping[str, Any]) -> Any:
        name, version = metadata.get(SCHEMA_NAME), metadata.get(SCHEMA_VERSION)
        match kind:
            case StructType():
                return self._struct(kind, name, version)
            case ArrayType():
                return {"type": "array", "items": self._nullable(kind.elementType)}
            case MapType() if isinstance(kind.keyType, StringType):
                return {"type": "map", "values": self._nullable(kind.valueType)}
            case MapType():
                return {"type": "array", "items": self._entry(kind)}
            case _:
                return _scalar(kind, name)

    def _nullable(self, kind: DataType) -> Any:
        """Items and values: Spark seldom knows that none is null."""
        return ["null", self.of(kind, {})]

    def _entry(self, kind: MapType) -> Any:
        fields = [
            {"name": "key", "type": self.of(kind.keyType, {})},
            {"name": "value", "type": self._nullable(kind.valueType)},
        ]
        self._unnamed += 1
        number = "" if self._unnamed == 1 else str(self._unnamed)
        return {
            "type": "record",
            "name": "MapEntry" + number,
            "namespace": _SPACE,
            "fields": fields,
            "connect.internal.type": "MapEntry",
        }

    def _struct(self, kind: StructType, name: str | None, version: int | None) -> Any:
        if name == UNION_NAME:
            return [self.of(field.dataType, field.metadata or {}) for field in kind.fields]
        if name is None:
            self._unnamed += 1
            name = f"{_SPACE}.ConnectDefault" + ("" if self._unnamed == 1 else str(self._unnamed))
        elif name in self._defined:
            if self._defined[name] == kind:
                return name
            raise FormatError(f"Two structs of different fields are both called {name}")
        self._defined[name] = kind
        space, _, simple = name.rpartition(".")
        found: dict[str, Any] = {"type": "record", "name": simple}
        if space:
            found["namespace"] = space
        found["fields"] = [self._field(field) for field in kind.fields]
        if version is not None:
            found["connect.version"] = version
        if not name.startswith(f"{_SPACE}.ConnectDefault"):
            found["connect.name"] = name
        return found

    def _field(self, field: StructField) -> Any:
        metadata = field.metadata or {}
        kind = self.of(field.dataType, metadata)
        found: dict[str, Any] = {"name": field.name, "type": kind}
        if is_optional(field) and kind != "null":
            branches = kind if isinstance(kind, list) else [kind]
            found = {"name": field.name, "type": ["null", *branches], "default": None}
        elif DEFAULT in metadata:
            found["default"] = json.loads(metadata[DEFAULT])
        return found


def _scalar(kind: DataType, name: str | None) -> Any:
    if type(kind) in _PLAIN:
        if name == TIME and isinstance(kind, IntegerType):
            return _logical("int", "time-millis", TIME)
        plain = _PLAIN[type(kind)]
        return {"type": plain, "connect.name": name} if name else plain
    match kind:
        case ByteType():
            return {"type": "int", "connect.type": "int8"}
        case ShortType():
            return {"type": "int", "connect.type": "int16"}
        case DateType():
            return _logical("int", "date", DATE)
        case TimestampType():
            return _logical("long", "timestamp-millis", TIMESTAMP)
        case TimestampNTZType():
            return {"type": "long", "logicalType": "local-timestamp-micros"}
        case DecimalType():
            shape = {"scale": kind.scale, "precision": kind.precision}
            parameters = {"scale": str(kind.scale), "connect.decimal.precision": str(kind.precision)}
            return {**_logical("bytes", "decimal", DECIMAL), **shape, "connect.parameters": parameters}
        case _:
            raise FormatError(f"A column of type {kind.simpleString()} has no Avro form")


def _logical(kind: str, logical: str, name: str) -> dict[str, Any]:
    return {"type": kind, "connect.version": 1, "connect.name": name, "logicalType": logical}
