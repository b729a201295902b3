"""LOGICAL on one schema: what can be no table, whatever was there before."""

from __future__ import annotations

import json
from typing import Any

import pytest

from riacho.schemas.logical.policy import validity_differences
from riacho.schemas.logical.types import Kind, LogicalSchema, LogicalType
from riacho.schemas.logical.validity import invalidities
from unit.schemas.logical.rules import BOTH, avro, change, invalid, json_schema, protobuf


def test_what_is_well() -> None:
    assert invalid(avro(a="int", b={"type": "array", "items": ["null", "string"]})) == []
    assert invalid(json_schema({"a": {"type": "string"}})) == []
    assert invalid(protobuf("message M { int32 a = 1; oneof o { string b = 2; } }")) == []


def test_the_form_of_what_is_told() -> None:
    assert validity_differences(avro()) == [
        '{errorType:"EMPTY_STRUCT", category:["ICEBERG_V2"], '
        'description:"a struct without any field cannot be a type of Iceberg", additionalInfo:""}'
    ]


@pytest.mark.parametrize(
    ("field", "found"),
    [
        ({"type": "record", "name": "E", "fields": []}, "ICEBERG_V2 EMPTY_STRUCT f"),
        ({"type": "bytes", "logicalType": "decimal", "precision": 39, "scale": 2}, f"{BOTH} PRECISION_OUT_OF_RANGE f"),
        ({"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 5}, f"{BOTH} SCALE_OUT_OF_RANGE f"),
        ({"type": "fixed", "name": "F", "size": 0}, f"{BOTH} LENGTH_OUT_OF_RANGE f"),
        ({"type": "string", "flink.maxLength": -5}, f"{BOTH} LENGTH_OUT_OF_RANGE f"),
        ({"type": "string", "flink.maxLength": 0}, ""),
        ({"type": "long", "logicalType": "timestamp-micros"}, ""),
        ({"type": "long", "logicalType": "timestamp-nanos"}, "ICEBERG_V2 UNREPRESENTABLE_TYPE f"),
        ({"type": "long", "logicalType": "timestamp-nanos", "flink.precision": 6}, ""),
        ({"type": "array", "items": ["null", "R"]}, f"{BOTH} CYCLIC_TYPE"),
        ("null", f"{BOTH} UNREPRESENTABLE_TYPE"),
        ({"type": "long", "logicalType": "timestamp-millis", "flink.precision": 6}, f"{BOTH} UNREPRESENTABLE_TYPE"),
        ({"type": "long", "logicalType": "timestamp-nanos", "flink.precision": 12}, f"{BOTH} UNREPRESENTABLE_TYPE"),
        ({"type": "int", "connect.type": "int24"}, f"{BOTH} UNREPRESENTABLE_TYPE"),
        ({"type": "map", "values": "long", "flink.type": "multiset"}, f"{BOTH} UNREPRESENTABLE_TYPE"),
        (
            {
                "type": "record",
                "name": "Variant",
                "namespace": "confluent.type",
                "fields": [{"name": "metadata", "type": "bytes"}, {"name": "value", "type": "bytes"}],
            },
            "ICEBERG_V2 UNREPRESENTABLE_TYPE f",
        ),
    ],
)
def test_fields_of_avro(field: object, found: str) -> None:
    assert invalid(avro(f=field)) == ([found] if found else [])


def test_names_that_differ_by_case_are_one_to_iceberg() -> None:
    collision = ["ICEBERG_V2 FIELD_NAME_CASE_COLLISION"]
    assert invalid(avro(userId="int", UserId="int")) == collision
    assert invalid(json_schema({"name": {"type": "string"}, "Name": {"type": "string"}})) == collision
    assert invalid(protobuf("message M { int32 order_id = 1; int32 ORDER_ID = 2; }")) == collision
    inner = [{"name": "ts", "type": "long"}, {"name": "TS", "type": "long"}]
    assert invalid(avro(p={"type": "record", "name": "P", "fields": inner})) == [f"{collision[0]} p"]


_OBJECT: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "integer"}}}


@pytest.mark.parametrize(
    "schema",
    [
        {"const": None},
        {"enum": [None]},
        {"type": "string", "const": None},
        {"type": ["string", "null"], "enum": [None]},
        {**_OBJECT, "if": {"required": ["a"]}, "then": {"required": ["a"]}},
        {**_OBJECT, "not": {"required": ["a"]}},
        {"not": {"type": "string"}},
        {"type": "null"},
        {"type": "array"},
        {"type": "array", "items": [{"type": "string"}]},
        {"type": "object", "connect.type": "map"},
        {"type": "array", "connect.type": "map", "items": {"type": "object"}},
        {"type": "integer", "connect.type": 1},
        {"type": "string", "connect.type": None},
        {"type": "string", "connect.type": "bytes", "flink.maxLength": "5"},
        {"type": "number", "title": "org.apache.kafka.connect.data.Decimal", "connect.type": "bytes",
         "connect.parameters": {"scale": "x"}},
        {"enum": ["two words"]},
        {"oneOf": [{"type": "string"}, {"type": "integer"}], "confluent:union": {"x": 1}},
        {"oneOf": [{"type": "string"}, {"type": "integer"}], "confluent:union": [{"name": 1}]},
        {"oneOf": [{"type": "string"}, {"type": "integer"}], "confluent:union": [{"name": "x"}, {"name": "x"}]},
    ],
)  # fmt: skip
def test_json_schemas_that_are_no_type_of_a_column(schema: dict[str, Any]) -> None:
    assert invalid(json_schema({"p": schema})) == [f"{BOTH} UNREPRESENTABLE_TYPE"], json.dumps(schema)


def test_a_property_without_a_type_is_a_variant() -> None:
    assert invalid(json_schema({"p": {}})) == ["ICEBERG_V2 UNREPRESENTABLE_TYPE p"]


@pytest.mark.parametrize(
    "draft", ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"]
)
def test_a_definition_that_nobody_uses_may_be_anything(draft: str) -> None:
    more = {"$schema": draft, "$defs": {"U": {"not": {"type": "string"}}}}
    assert invalid(json_schema({"a": {"type": "string"}}, **more)) == []
    assert invalid(json_schema({"b": {"$ref": "#/$defs/U"}}, **more)) == [f"{BOTH} UNREPRESENTABLE_TYPE"]


@pytest.mark.parametrize(
    "definitions",
    [
        {"D": {"$ref": "#/definitions/D"}},
        {"D": {"$ref": "#/definitions/Q"}, "Q": {"$ref": "#/definitions/D"}},
        {"D": {"type": "object", "properties": {"d": {"$ref": "#/definitions/D"}}}},
    ],
)
def test_recursion_of_json_schemas(definitions: dict[str, Any]) -> None:
    schema = json_schema({"d": {"$ref": "#/definitions/D"}}, definitions=definitions)
    assert invalid(schema) == [f"{BOTH} CYCLIC_TYPE d"]
    assert change(schema, schema) == []


def test_recursion_that_only_an_all_of_closes_is_too_deep() -> None:
    inner = {"type": "object", "properties": {"d": {"allOf": [{"$ref": "#/definitions/D"}]}}}
    schema = json_schema({"d": {"$ref": "#/definitions/D"}}, definitions={"D": inner})
    assert invalid(schema) == [f"{BOTH} UNREPRESENTABLE_TYPE"]


def _chain(length: int, last: str = "") -> Any:
    links = [f"message M{at} {{ M{at + 1} next = 1; int32 x = 2; }}" for at in range(1, length)]
    root = "message Root { M1 c = 1; "
    nested = " ".join([*links, f"message M{length} {{ int32 x = 2; {last} }}"])
    return protobuf(f"{root}{nested} }}")


def test_types_within_types_end_at_some_depth() -> None:
    deep = [f"{BOTH} UNREPRESENTABLE_TYPE"]
    assert invalid(_chain(90)) == []
    assert change(_chain(90), _chain(90, "int32 y = 3;")) == [f"{BOTH} REQUIRED_FIELD_ADDED c{'.next' * 89}.y"]
    for length in (150, 2000):
        assert invalid(_chain(length)) == deep
    # An old version that is too deep does not stand in the way.
    assert change(_chain(150, "int32 y = 3;"), _chain(90)) == []


def test_a_message_that_many_ways_lead_to_is_looked_at_once() -> None:
    """2^60 ways."""
    links = "".join(f"message M{at} {{ M{at + 1} a = 1; M{at + 1} b = 2; }}" for at in range(60))
    schema = protobuf(f"message Root {{ M0 m = 1; {links} message M60 {{ int32 x = 1; }} }}")
    assert invalid(schema) == change(schema, schema) == []


def test_properties_that_an_all_of_repeats_without_end_are_too_many() -> None:
    """2^40 of them, were they all written out."""
    definitions = {
        f"D{at}": {
            "type": "object",
            "properties": {name: {"allOf": [{"$ref": f"#/definitions/D{at + 1}"}]} for name in ("a", "b")},
        }
        for at in range(40)
    }
    definitions["D40"] = {"type": "object", "properties": {"x": {"type": "integer"}}}
    schema = json_schema({"d": {"$ref": "#/definitions/D0"}}, definitions=definitions)
    assert invalid(schema) == [f"{BOTH} UNREPRESENTABLE_TYPE"]


def test_a_name_that_nothing_defines() -> None:
    found = invalidities(LogicalSchema(LogicalType(kind=Kind.NAMED, name="gone")))
    assert {(finding.rule.name, finding.path) for finding in found} == {("UNRESOLVED_TYPE_REF", "")}


def test_recursion_is_told_where_it_begins_and_not_of_what_leads_to_it() -> None:
    text = (
        "message Root { A a = 1; E e = 2; message A { B b = 1; } message B { C c = 1; } message C { B b = 1; D d = 2; }"
    )
    schema = protobuf(f"{text} message D {{ int32 x = 1; }} message E {{ D d = 1; E e = 2; }} }}")
    assert invalid(schema) == [f"{BOTH} CYCLIC_TYPE a.b", f"{BOTH} CYCLIC_TYPE e"]
