"""The JSON Schema that columns are registered with: as Connect's converter, which ksqlDB uses, writes it.

`connect.index` keeps the order of fields, which JSON Schema has none of, and `connect.type` the width of numbers.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from riacho.pipelines.sql.types import Array, Base, Decimal, Field, Map, Primitive, SqlType, Struct

_DATA = "org.apache.kafka.connect.data"


def _integer(connect: str, title: str | None = None) -> dict[str, Any]:
    found: dict[str, Any] = {"type": "integer", "connect.type": connect}
    return found if title is None else {**found, "title": f"{_DATA}.{title}", "connect.version": 1}


_PRIMITIVES: dict[Base, dict[str, Any]] = {
    Base.BOOLEAN: {"type": "boolean"},
    Base.INTEGER: _integer("int32"),
    Base.BIGINT: _integer("int64"),
    Base.DOUBLE: {"type": "number", "connect.type": "float64"},
    Base.STRING: {"type": "string"},
    Base.BYTES: {"type": "string", "connect.type": "bytes"},
    Base.TIME: _integer("int32", "Time"),
    Base.DATE: _integer("int32", "Date"),
    Base.TIMESTAMP: _integer("int64", "Timestamp"),
}


def json_schema(columns: Sequence[Field], wrap: bool, full_name: str | None = None) -> str:
    root = _object(columns) if wrap else _nullable(columns[0].type)
    if full_name is not None and wrap:
        root = {**root, "title": full_name}
    return json.dumps(root, separators=(",", ":"))


def _object(fields: Sequence[Field]) -> dict[str, Any]:
    properties = {field.name: {"connect.index": at, **_nullable(field.type)} for at, field in enumerate(fields)}
    return {"type": "object", "properties": properties}


def _nullable(kind: SqlType) -> dict[str, Any]:
    return {"oneOf": [{"type": "null"}, _type(kind)]}


def _type(kind: SqlType) -> dict[str, Any]:
    match kind:
        case Primitive(base):
            return _PRIMITIVES[base]
        case Decimal(precision, scale):
            return {
                "type": "number",
                "title": f"{_DATA}.Decimal",
                "connect.version": 1,
                "connect.type": "bytes",
                "connect.parameters": {"scale": str(scale), "connect.decimal.precision": str(precision)},
            }
        case Array(item):
            return {"type": "array", "items": _nullable(item)}
        case Map(_, value):
            return {"type": "object", "connect.type": "map", "additionalProperties": _nullable(value)}
        case Struct(fields):
            return _object(fields)
        case _:
            raise AssertionError("no column is a lambda")
