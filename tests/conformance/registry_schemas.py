"""Schemas and records that the tests of both services share: small, and in every form the same."""

from __future__ import annotations

import json
from typing import Any

AVRO: dict[str, Any] = {
    "type": "record",
    "name": "Order",
    "namespace": "shop",
    "fields": [{"name": "id", "type": "long"}, {"name": "item", "type": "string"}],
}
# A reader with this one reads what was written with the first: the field has a default.
AVRO_NEXT: dict[str, Any] = AVRO | {
    "fields": [*AVRO["fields"], {"name": "note", "type": ["null", "string"], "default": None}]
}
# No reader of the first can make sense of it: the field has no default and another type.
AVRO_BROKEN: dict[str, Any] = AVRO | {"fields": [{"name": "id", "type": "string"}, {"name": "price", "type": "double"}]}
JSON_SCHEMA: dict[str, Any] = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "title": "Order",
    "type": "object",
    "properties": {"id": {"type": "integer"}, "item": {"type": "string"}},
    "required": ["id", "item"],
    "additionalProperties": False,
}
PROTOBUF = 'syntax = "proto3";\npackage shop;\n\nmessage Order {\n  int64 id = 1;\n  string item = 2;\n}\n'
# The same message as `registry_messages.Place`.
PLACE = 'syntax = "proto3"; package conformance.geo; message Place { string city = 1; double height = 2; }'
RECORD: dict[str, Any] = {"id": 7, "item": "tea"}


def text(schema: dict[str, Any]) -> str:
    return json.dumps(schema)
