"""Schemas short to write, and what the policy LOGICAL finds in them, short to read: `FLINK+ICEBERG_V2 RULE path`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from riacho.schemas.formats import parse
from riacho.schemas.logical.policy import logical_differences, validity_differences
from riacho.schemas.parsed import ParsedSchema, SchemaSource

_TOLD = re.compile(r'\{errorType:"(\w+)", category:\[(.*)\], description:"[^"]+", additionalInfo:"(.*)"\}')
BOTH = "FLINK+ICEBERG_V2"


def avro(*fields: object, **types: object) -> ParsedSchema:
    """Fields as Avro has them, or by name: `avro(a="int")`."""
    named = [{"name": name, "type": each} for name, each in types.items()]
    return parse("AVRO", SchemaSource(json.dumps({"type": "record", "name": "R", "fields": [*fields, *named]})))


def json_schema(properties: object = None, **more: object) -> ParsedSchema:
    schema = more if properties is None else {"type": "object", "properties": properties, **more}
    return parse("JSON", SchemaSource(json.dumps(schema)))


def protobuf(text: str, syntax: str = "proto3") -> ParsedSchema:
    imports = ("confluent/meta.proto", "confluent/type/decimal.proto", "google/protobuf/timestamp.proto")
    lines = [f'syntax = "{syntax}"; package p;', *(f'import "{path}";' for path in imports if _needs(text, path))]
    return parse("PROTOBUF", SchemaSource("\n".join([*lines, text])))


def _needs(text: str, path: str) -> bool:
    name = {"meta": "confluent.field_meta", "decimal": "type.Decimal", "timestamp": "protobuf.Timestamp"}
    return name[path.rpartition("/")[2].partition(".")[0]] in text


def change(old: ParsedSchema, new: ParsedSchema) -> list[str]:
    return _short(logical_differences(new, old))


def invalid(schema: ParsedSchema) -> list[str]:
    return _short(validity_differences(schema))


def _short(told: Iterable[str]) -> list[str]:
    found = []
    for text in told:
        match = _TOLD.fullmatch(text)
        assert match is not None, text
        modes = match[2].replace('"', "").replace(", ", "+")
        found.append(f"{modes} {match[1]} {match[3]}".rstrip())
    return found
