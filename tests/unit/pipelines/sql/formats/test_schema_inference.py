"""Columns from registered schemas."""

from __future__ import annotations

import json
from typing import Any

import pytest

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.memory_registry import MemoryRegistry
from riacho.pipelines.sql.formats.schema_inference import SchemaQuestion, infer_columns


def inferred(kind: str, schema: Any, is_key: bool = False, **more: Any) -> list[str]:
    registry = MemoryRegistry()
    text = schema if isinstance(schema, str) else json.dumps(schema)
    subject = "t-key" if is_key else "t-value"
    found = registry.register(subject, {"JSON_SR": "JSON"}.get(kind, kind), text)
    if more.pop("by_id", False):
        more["schema_id"] = found.id
    answer = infer_columns(registry, SchemaQuestion("t", kind, is_key, **more))
    return [f"{column.name} {column.type}" for column in answer.columns]


def avro(*fields: tuple[str, Any]) -> dict[str, Any]:
    return {"type": "record", "name": "R", "fields": [{"name": name, "type": kind} for name, kind in fields]}


@pytest.mark.parametrize(
    ("kind", "sql"),
    [
        ("boolean", "BOOLEAN"),
        ("int", "INTEGER"),
        ("long", "BIGINT"),
        ("float", "DOUBLE"),
        ("double", "DOUBLE"),
        ("string", "STRING"),
        ("bytes", "BYTES"),
        ({"type": "fixed", "name": "F", "size": 3}, "BYTES"),
        ({"type": "enum", "name": "E", "symbols": ["A"]}, "STRING"),
        (["null", "int"], "INTEGER"),
        (["int", "null"], "INTEGER"),
        ({"type": "int", "logicalType": "date"}, "DATE"),
        ({"type": "int", "logicalType": "time-millis"}, "TIME"),
        ({"type": "long", "logicalType": "timestamp-millis"}, "TIMESTAMP"),
        ({"type": "long", "logicalType": "timestamp-micros"}, "BIGINT"),
        ({"type": "bytes", "logicalType": "decimal", "precision": 5, "scale": 2}, "DECIMAL(5, 2)"),
        ({"type": "array", "items": ["null", "long"]}, "ARRAY<BIGINT>"),
        ({"type": "map", "values": "int"}, "MAP<STRING, INTEGER>"),
        (["null", "string", "int"], "STRUCT<`STRING` STRING, `INT` INTEGER>"),
        ({"type": "record", "name": "I", "fields": [{"name": "deep", "type": "int"}]}, "STRUCT<`DEEP` INTEGER>"),
    ],
)
def test_avro_types(kind: Any, sql: str) -> None:
    assert inferred("AVRO", avro(("id", "int"), ("c", kind))) == ["ID INTEGER", f"C {sql}"]


def test_avro_fields_without_a_type_are_left_out() -> None:
    assert inferred("AVRO", avro(("id", "int"), ("nothing", "null"), ("again", ["null", "R"]))) == ["ID INTEGER"]


@pytest.mark.parametrize(
    ("schema", "sql"),
    [
        ({"type": "boolean"}, "BOOLEAN"),
        ({"type": "integer"}, "BIGINT"),
        ({"type": "integer", "connect.type": "int32"}, "INTEGER"),
        ({"type": "number"}, "DOUBLE"),
        ({"type": "string"}, "STRING"),
        ({"type": "string", "connect.type": "bytes"}, "BYTES"),
        ({"type": "string", "enum": ["a"]}, "STRING"),
        ({"oneOf": [{"type": "null"}, {"type": "integer"}]}, "BIGINT"),
        ({"type": ["null", "string"]}, "STRING"),
        ({"type": "array", "items": {"type": "string"}}, "ARRAY<STRING>"),
        ({"type": "object", "connect.type": "map", "additionalProperties": {"type": "number"}}, "MAP<STRING, DOUBLE>"),
        ({"type": "object", "properties": {"deep": {"type": "string"}}}, "STRUCT<`DEEP` STRING>"),
        ({"$ref": "#/definitions/Thing"}, "STRUCT<`NAME` STRING>"),
        ({"type": "number", "connect.type": "bytes", "title": "org.apache.kafka.connect.data.Decimal",
          "connect.parameters": {"scale": "2", "connect.decimal.precision": "5"}}, "DECIMAL(5, 2)"),
        ({"type": "integer", "connect.type": "int32", "title": "org.apache.kafka.connect.data.Date"}, "DATE"),
        ({"allOf": [{"type": "object", "properties": {"a": {"type": "string"}}}]}, "STRUCT<`A` STRING>"),
    ],
)  # fmt: skip
def test_json_schema_types(schema: Any, sql: str) -> None:
    definitions = {"Thing": {"type": "object", "properties": {"name": {"type": "string"}}}}
    properties = {"c": {**schema, "connect.index": 1}, "id": {"type": "integer", "connect.index": 0}}
    whole = {"type": "object", "properties": properties, "definitions": definitions}
    assert inferred("JSON_SR", whole) == ["ID BIGINT", f"C {sql}"]


def test_json_schema_fields_without_a_type_are_left_out() -> None:
    properties = {"id": {"type": "integer"}, "any": True, "list": {"type": "array"}, "nothing": {"type": "null"}}
    assert inferred("JSON_SR", {"type": "object", "properties": properties}) == ["ID BIGINT"]


PROTO = """
    syntax = "proto3"; package acme; import "google/protobuf/wrappers.proto"; import "google/protobuf/timestamp.proto";
    import "google/type/date.proto"; import "google/type/timeofday.proto"; import "confluent/type/decimal.proto";
    import "confluent/meta.proto";
    message First {
      int32 i = 1; uint32 u = 2; uint64 l = 3; float f = 4; bool b = 5; bytes raw = 6; Kind kind = 7;
      oneof choice { string text = 8; int64 number = 9; }
      google.protobuf.Int32Value wrapped = 10; map<string, Second> seconds = 11; repeated Second list = 12;
      google.protobuf.Timestamp at = 13; google.type.Date day = 14; google.type.TimeOfDay hour = 15; First again = 16;
      confluent.type.Decimal plain = 17; optional string maybe = 18;
      confluent.type.Decimal price = 19 [(confluent.field_meta) = {params: [{key: "precision", value: "5"},
        {key: "scale", value: "2"}]}];
      enum Kind { NONE = 0; }
    }
    message Second { string s = 1; }
"""
PROTO_COLUMNS = [
    "CHOICE_0 STRUCT<`TEXT` STRING, `NUMBER` BIGINT>", "I INTEGER", "U BIGINT", "L BIGINT", "F DOUBLE", "B BOOLEAN",
    "RAW BYTES", "KIND STRING", "WRAPPED STRUCT<`VALUE` INTEGER>", "SECONDS MAP<STRING, STRUCT<`S` STRING>>",
    "LIST ARRAY<STRUCT<`S` STRING>>", "AT TIMESTAMP", "DAY DATE", "HOUR TIME", "PLAIN DECIMAL(64, 0)", "MAYBE STRING",
    "PRICE DECIMAL(5, 2)",
]  # fmt: skip


def test_protobuf_types() -> None:
    assert inferred("PROTOBUF", PROTO) == PROTO_COLUMNS
    wrapped = inferred("PROTOBUF", PROTO, properties={"nullableRepresentation": "WRAPPER"})
    assert "WRAPPED INTEGER" in wrapped


def test_a_message_of_several_by_its_name() -> None:
    assert inferred("PROTOBUF", PROTO, properties={"fullSchemaName": "acme.Second"}) == ["S STRING"]
    with pytest.raises(KsqlError, match="The schema has no message Third"):
        inferred("PROTOBUF", PROTO, properties={"fullSchemaName": "Third"})


def test_names_are_upper_case_but_of_a_schema_that_is_named() -> None:
    schema = avro(("camelCase", "int"))
    assert inferred("AVRO", schema) == ["CAMELCASE INTEGER"]
    assert inferred("AVRO", schema, by_id=True) == ["camelCase INTEGER"]


def test_keys_are_one_column() -> None:
    assert inferred("AVRO", '"long"', is_key=True) == ["ROWKEY BIGINT"]
    assert inferred("AVRO", avro(("a", "int"), ("b", "int")), is_key=True) == [
        "ROWKEY STRUCT<`A` INTEGER, `B` INTEGER>"
    ]
    assert inferred("JSON_SR", {"type": "string"}, is_key=True) == ["ROWKEY STRING"]
    one = 'syntax = "proto3"; message K { int32 id = 1; }'
    assert inferred("PROTOBUF", one, is_key=True) == ["ID INTEGER"]
    with pytest.raises(KsqlError, match="The key schema for topic: t contains multiple columns"):
        inferred("PROTOBUF", PROTO, is_key=True)


def test_values_that_are_no_records() -> None:
    assert inferred("AVRO", '"long"', wrap=False) == ["ROWVAL BIGINT"]
    with pytest.raises(KsqlError, match="Schema returned from schema registry is anonymous type"):
        inferred("AVRO", '"long"')


def test_a_schema_without_columns_is_refused() -> None:
    with pytest.raises(KsqlError, match="Unable to verify if the value schema for topic: t is compatible with ksqlDB"):
        inferred("AVRO", avro())


def test_no_schema() -> None:
    with pytest.raises(KsqlError) as caught:
        infer_columns(MemoryRegistry(), SchemaQuestion("x", "AVRO", False))
    assert caught.value.message.startswith(
        "Schema for message values on topic 'x' does not exist in the Schema Registry.\nSubject: x-value\n"
    )
    with pytest.raises(KsqlError, match=r"Schema for message keys on topic 'x' .*\nSubject: x-key\nSchema Id: 5\n"):
        infer_columns(MemoryRegistry(), SchemaQuestion("x", "AVRO", True, schema_id=5))


def test_a_schema_of_another_kind() -> None:
    registry = MemoryRegistry()
    registry.register("t-value", "JSON", '{"type":"object"}')
    with pytest.raises(KsqlError) as caught:
        infer_columns(registry, SchemaQuestion("t", "AVRO", False))
    assert caught.value.message == (
        "Value schema is not in the expected format. You may want to set VALUE_FORMAT to 'JSON'.\ntopic: t\n"
        "expected format: AVRO\nactual format from Schema Registry: JSON"
    )
