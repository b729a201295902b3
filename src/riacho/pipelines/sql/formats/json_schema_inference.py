"""The SQL type of a JSON Schema, by way of what Connect makes of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from riacho.pipelines.sql.formats.inferred_names import (
    DECIMAL_PRECISION_DEFAULT,
    NESTING_MAX,
    Naming,
    UnsupportedTypeError,
    struct_of,
)
from riacho.pipelines.sql.types import (
    BIGINT,
    BOOLEAN,
    BYTES,
    DATE,
    DOUBLE,
    INTEGER,
    STRING,
    TIME,
    TIMESTAMP,
    Array,
    Decimal,
    Map,
    SqlType,
)
from riacho.schemas.parsed import ParsedSchema

_DATA = "org.apache.kafka.connect.data."
_LOGICAL = {f"{_DATA}Date": DATE, f"{_DATA}Time": TIME, f"{_DATA}Timestamp": TIMESTAMP}
_WIDTHS = {"int8": INTEGER, "int16": INTEGER, "int32": INTEGER, "int64": BIGINT, "float32": DOUBLE, "float64": DOUBLE}
_ONE_OF = "io.confluent.connect.json.OneOf"


class JsonTypes:
    def __init__(self, schema: ParsedSchema, naming: Naming) -> None:
        self._naming = naming
        self._documents: dict[str, Any] = {"": json.loads(schema.text)}
        self._documents |= {name: json.loads(text) for name, text in schema.resolved.items()}

    def root(self) -> SqlType:
        """UnsupportedTypeError where ksqlDB has none."""
        return self._type(self._documents[""], "", 0)

    def _type(self, node: Any, document: str, depth: int) -> SqlType:
        if not isinstance(node, Mapping):
            raise UnsupportedTypeError("Unsupported type: any")
        if depth > NESTING_MAX:
            raise UnsupportedTypeError("Unsupported type: recursive")
        if isinstance(node.get("$ref"), str):
            found, document = self._referred(node["$ref"], document)
            return self._type(found, document, depth + 1)
        for word in ("oneOf", "anyOf"):
            if isinstance(node.get(word), list):
                return self._combined(node[word], document, depth)
        if isinstance(node.get("allOf"), list) and "type" not in node and "properties" not in node:
            return self._all_of(node["allOf"], document, depth)
        declared = node.get("type")
        if isinstance(declared, list):
            return self._combined([{**node, "type": each} for each in declared], document, depth)
        if "enum" in node or ("const" in node and declared is None):
            return STRING
        return self._typed(declared, node, document, depth)

    def _typed(self, declared: Any, node: Mapping[str, Any], document: str, depth: int) -> SqlType:
        connect = node.get("connect.type")
        match declared:
            case "boolean":
                return BOOLEAN
            case "integer" | "number":
                return _number(declared, connect, node)
            case "string":
                return BYTES if connect == "bytes" else STRING
            case "array":
                return self._array(node, document, depth)
            case "object" | None if declared or "properties" in node:
                if connect == "map":
                    return Map(STRING, self._type(node.get("additionalProperties"), document, depth + 1))
                return self._object(node, document, depth)
            case _:
                raise UnsupportedTypeError(f"Unsupported type: {declared}")

    def _array(self, node: Mapping[str, Any], document: str, depth: int) -> SqlType:
        items = node.get("items")
        if node.get("connect.type") == "map" and isinstance(items, Mapping):
            properties = items.get("properties")
            if isinstance(properties, Mapping) and {"key", "value"} <= properties.keys():
                return Map(STRING, self._type(properties["value"], document, depth + 1))
        return Array(self._type(items, document, depth + 1))

    def _object(self, node: Mapping[str, Any], document: str, depth: int) -> SqlType:
        properties = node.get("properties")
        named = list(properties.items()) if isinstance(properties, Mapping) else []
        order = {name: at for at, (name, _) in enumerate(named)}
        named.sort(key=lambda each: _index(each[1], order[each[0]]))
        parts = [(name, lambda inner=inner: self._type(inner, document, depth + 1)) for name, inner in named]
        return struct_of(parts, self._naming)

    def _combined(self, nodes: list[Any], document: str, depth: int) -> SqlType:
        others = [each for each in nodes if not (isinstance(each, Mapping) and each.get("type") == "null")]
        if len(others) == 1:
            return self._type(others[0], document, depth + 1)
        parts = [
            (f"{_ONE_OF}.field.{at}", lambda each=each: self._type(each, document, depth + 1))
            for at, each in enumerate(others)
        ]
        return struct_of(parts, self._naming)

    def _all_of(self, nodes: list[Any], document: str, depth: int) -> SqlType:
        """The parts together, as far as they are objects; else the first that says a type."""
        whole: dict[str, Any] = {}
        for node in nodes:
            if isinstance(node, Mapping) and isinstance(node.get("$ref"), str):
                node, document = self._referred(node["$ref"], document)
            if isinstance(node, Mapping):
                properties = {**whole.get("properties", {}), **(node.get("properties") or {})}
                whole = {**whole, **node, **({"properties": properties} if properties else {})}
        if "allOf" in whole:
            raise UnsupportedTypeError("Unsupported criterion allOf")
        return self._type(whole, document, depth + 1)

    def _referred(self, pointer: str, document: str) -> tuple[Any, str]:
        name, _, way = pointer.partition("#")
        document = name or document
        node = self._documents.get(document)
        for step in way.strip("/").split("/") if way.strip("/") else ():
            step = step.replace("~1", "/").replace("~0", "~")
            node = node.get(step) if isinstance(node, Mapping) else None
        if node is None:
            raise UnsupportedTypeError(f"Unsupported reference: {pointer}")
        return node, document


def _index(node: Any, default: int) -> int:
    index = node.get("connect.index") if isinstance(node, Mapping) else None
    return index if isinstance(index, int) else default


def _number(declared: str, connect: Any, node: Mapping[str, Any]) -> SqlType:
    title = node.get("title")
    if title == f"{_DATA}Decimal":
        params = node.get("connect.parameters")
        return _decimal(params if isinstance(params, Mapping) else {})
    if isinstance(title, str) and title in _LOGICAL:
        return _LOGICAL[title]
    return _WIDTHS.get(str(connect), BIGINT if declared == "integer" else DOUBLE)


def _decimal(params: Mapping[str, Any]) -> SqlType:
    def number(name: str, default: int) -> int:
        text = str(params.get(name, default))
        return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else default

    return Decimal(number("connect.decimal.precision", DECIMAL_PRECISION_DEFAULT), number("scale", 0))
