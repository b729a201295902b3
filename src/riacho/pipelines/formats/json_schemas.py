"""JSON Schema and Connect's schemas (in their JSON form), as Connect's JSON Schema converter maps them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from riacho.pipelines.formats.column_types import DECIMAL, FormatError

_NUMBERS = {
    "int8": "integer",
    "int16": "integer",
    "int32": "integer",
    "int64": "integer",
    "float": "number",
    "double": "number",
}
_DEPTH_MAX = 64
_TEXT: dict[str, Any] = {"type": "string"}


def json_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON Schema of a schema of Connect; what may be null is one of null and the type."""
    found = _typed(schema)
    for key, own in (("name", "title"), ("version", "connect.version"), ("parameters", "connect.parameters")):
        if schema.get(key) is not None:
            found[own] = schema[key]
    if schema.get("default") is not None:
        found["default"] = schema["default"]
    return {"oneOf": [{"type": "null"}, found]} if schema.get("optional") else found


def _typed(schema: Mapping[str, Any]) -> dict[str, Any]:
    kind = schema["type"]
    if kind == "struct":
        properties: dict[str, Any] = {}
        for index, field in enumerate(schema["fields"]):
            inner = json_schema(field)
            properties[field["field"]] = inner | {"connect.index": index}
        return {"type": "object", "properties": properties}
    if kind == "array":
        return {"type": "array", "items": json_schema(schema["items"])}
    if kind == "map":
        values = json_schema(schema["values"])
        if schema["keys"]["type"] == "string":
            return {"type": "object", "additionalProperties": values, "connect.type": "map"}
        pair = {"type": "array", "items": [json_schema(schema["keys"]), values]}
        return {"type": "array", "items": pair, "connect.type": "map"}
    if kind in _NUMBERS:
        spelled = {"float": "float32", "double": "float64"}.get(kind, kind)
        return {"type": _NUMBERS[kind], "connect.type": spelled}
    if kind == "bytes":
        return {"type": ["string", "number"] if schema.get("name") == DECIMAL else "string", "connect.type": "bytes"}
    return {"type": kind}


class ConnectSchemas:
    """Schemas of Connect out of one JSON Schema; what has no type of its own is the JSON text."""

    def __init__(self, text: str, resolved: Mapping[str, str]) -> None:
        self._root = json.loads(text)
        self._others = {name: json.loads(each) for name, each in resolved.items()}

    def root(self) -> dict[str, Any]:
        return self._of(self._root, self._root, 0)

    def _of(self, node: Any, document: Any, depth: int) -> dict[str, Any]:
        if depth > _DEPTH_MAX:
            raise FormatError("The JSON Schema contains itself, which no column can")
        if not isinstance(node, dict):
            return {"type": "string", "optional": True}
        if "$ref" in node:
            return self._of(*self._target(str(node["$ref"]), document), depth + 1)
        for combined in ("oneOf", "anyOf"):
            if isinstance(node.get(combined), list):
                return self._combined(node, node[combined], document, depth)
        found = self._typed(node, document, depth)
        title = node.get("title")
        if isinstance(title, str) and found["type"] not in ("array",):
            found["name"] = title
        for key, own in (("connect.version", "version"), ("connect.parameters", "parameters"), ("default", "default")):
            if key in node and node[key] is not None:
                found[own] = node[key]
        return found

    def _combined(self, node: Any, branches: list[Any], document: Any, depth: int) -> dict[str, Any]:
        solid = [each for each in branches if not (isinstance(each, dict) and each.get("type") == "null")]
        optional = len(solid) < len(branches)
        if len(solid) == 1:
            found = self._of(solid[0], document, depth + 1)
            return found | {"optional": optional or bool(found.get("optional"))}
        return _TEXT | {"optional": optional}

    def _typed(self, node: Mapping[str, Any], document: Any, depth: int) -> dict[str, Any]:
        kind = node.get("type")
        optional = False
        if isinstance(kind, list):
            solid = [each for each in kind if each != "null"]
            optional = len(solid) < len(kind)
            if node.get("connect.type") == "bytes":
                solid = ["string"]
            kind = solid[0] if len(solid) == 1 else "number" if set(solid) == {"integer", "number"} else None
        connect_type = node.get("connect.type")
        plain: dict[str, Any] = {"optional": optional}
        match kind:
            case "integer":
                return plain | {"type": connect_type if connect_type in _NUMBERS else "int64"}
            case "number":
                return plain | {"type": {"float32": "float", "bytes": "bytes"}.get(str(connect_type), "double")}
            case "boolean":
                return plain | {"type": "boolean"}
            case "string":
                return plain | {"type": "bytes" if connect_type == "bytes" else "string"}
            case "array":
                return plain | self._array(node, document, depth)
            case "object":
                return plain | self._object(node, document, depth)
            case None if "properties" in node:
                return plain | self._object(node, document, depth)
            case _:
                return _TEXT | plain

    def _array(self, node: Mapping[str, Any], document: Any, depth: int) -> dict[str, Any]:
        items = node.get("items")
        if node.get("connect.type") == "map" and isinstance(items, dict) and isinstance(items.get("items"), list):
            keys, values = (self._of(each, document, depth + 1) for each in items["items"])
            return {"type": "map", "keys": keys, "values": values}
        return {"type": "array", "items": self._of(items, document, depth + 1)}

    def _object(self, node: Mapping[str, Any], document: Any, depth: int) -> dict[str, Any]:
        properties = node.get("properties")
        if not properties:
            return {
                "type": "map",
                "keys": _TEXT,
                "values": self._of(node.get("additionalProperties"), document, depth + 1),
            }
        required = node.get("required") or ()
        order = sorted(properties, key=lambda name: _index(properties[name]))
        fields = []
        for name in order:
            field = self._of(properties[name], document, depth + 1)
            # Connect writes what may be null as such; hand-written schemas tell it by what they require.
            optional = bool(field.get("optional")) or ("connect.index" not in properties[name] and name not in required)
            fields.append(field | {"field": name, "optional": optional})
        return {"type": "struct", "fields": fields}

    def _target(self, reference: str, document: Any) -> tuple[Any, Any]:
        name, _, pointer = reference.partition("#")
        if name and name not in self._others:
            raise FormatError(f"The JSON Schema refers to {name}, which is not among its references")
        found = document = self._others[name] if name else document
        for step in [each for each in pointer.split("/") if each]:
            key = step.replace("~1", "/").replace("~0", "~")
            if not isinstance(found, dict) or key not in found:
                raise FormatError(f"The JSON Schema refers to {reference}, which is not there")
            found = found[key]
        return found, document


def _index(node: Any) -> float:
    index = node.get("connect.index") if isinstance(node, dict) else None
    return float(index) if isinstance(index, int) else float("inf")
