"""The Avro schema that columns are registered with: as ksqlDB names and shapes it, so that its consumers go on.

Everything may be null, null first. A record inside is called after the way to it, `KsqlDataSourceSchema_COL_FIELD`; a
map is an array of entries, since its keys may be null too.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from riacho.pipelines.sql.types import Array, Base, Decimal, Field, Map, Primitive, SqlType, Struct

_PRIMITIVES: dict[Base, Any] = {
    Base.BOOLEAN: "boolean",
    Base.INTEGER: "int",
    Base.BIGINT: "long",
    Base.DOUBLE: "double",
    Base.STRING: "string",
    Base.BYTES: "bytes",
    Base.TIME: {"type": "int", "logicalType": "time-millis"},
    Base.DATE: {"type": "int", "logicalType": "date"},
    Base.TIMESTAMP: {"type": "long", "logicalType": "timestamp-millis"},
}


def avro_schema(columns: Sequence[Field], wrap: bool, full_name: str) -> str:
    root = _record(columns, full_name) if wrap else _type(columns[0].type, full_name)
    return json.dumps(root, separators=(",", ":"))


def _record(fields: Sequence[Field], full_name: str) -> dict[str, Any]:
    return {
        **_named(full_name),
        "fields": [
            _field(avro_name(field.name), field.type, f"{full_name}_{avro_name(field.name)}") for field in fields
        ],
    }


def avro_name(name: str) -> str:
    return name.replace(".", "_")


def _named(full_name: str) -> dict[str, Any]:
    space, _, simple = full_name.rpartition(".")
    return {"type": "record", "name": simple, **({"namespace": space} if space else {})}


def _field(name: str, kind: SqlType, way: str) -> dict[str, Any]:
    return {"name": name, "type": ["null", _type(kind, way)], "default": None}


def _type(kind: SqlType, way: str) -> Any:
    match kind:
        case Primitive(base):
            return _PRIMITIVES[base]
        case Decimal(precision, scale):
            return {"type": "bytes", "logicalType": "decimal", "precision": precision, "scale": scale}
        case Array(item):
            return {"type": "array", "items": ["null", _type(item, way)]}
        case Map(key, value):
            fields = [_field("key", key, f"{way}_MapKey"), _field("value", value, f"{way}_MapValue")]
            return {"type": "array", "items": {**_named(way), "fields": fields, "connect.internal.type": "MapEntry"}}
        case Struct(fields):
            return _record(fields, way)
        case _:
            raise AssertionError("no column is a lambda")
