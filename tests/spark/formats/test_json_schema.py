"""The JSON Schema converter: round trip of all types, records of Confluent's serializer, evolution, the check."""

from __future__ import annotations

import json
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.json_schema import JSONDeserializer, JSONSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

from riacho.pipelines.formats.converters import converter
from riacho.pipelines.formats.registry_client import registry_client
from riacho.pipelines.records import VALUE
from spark.formats.record_frames import frame, outcome, typed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

KIND = (
    "struct<i8:tinyint,i:int,l:bigint,f:float,d:double,b:boolean,s:string,by:binary,ts:timestamp,da:date,"
    "dec:decimal(10,2),a:array<int>,m:map<string,bigint>,mi:map<int,string>,n:struct<x:int,ys:array<struct<q:string>>>>"
)
FULL = {
    "i8": 1, "i": 3, "l": 2**40, "f": 1.5, "d": 0.1, "b": True, "s": "é", "by": b"\0\xff",
    "ts": datetime(2020, 1, 1, 0, 0, 0, 5000), "da": date(2020, 2, 29), "dec": Decimal("-123.45"), "a": [1, None],
    "m": {"k": 1}, "mi": {5: "v"}, "n": {"x": 7, "ys": [{"q": "a"}, {"q": None}]},
}  # fmt: skip
PERSON = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "title": "Person",
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "age": {"type": "integer", "minimum": 0},
        "home": {"$ref": "#/definitions/home"},
    },
    "required": ["name"],
    "definitions": {"home": {"type": "object", "properties": {"city": {"type": "string"}}}},
}


def test_all_types_come_back_and_confluents_deserializer_reads_ours(spark: SparkSession, registry: str) -> None:
    converts = converter("io.confluent.connect.json.JsonSchemaConverter", {"schema.registry.url": registry}, False)
    rows = [FULL, None, dict.fromkeys(FULL)]
    written = converts.encode(typed(spark, KIND, rows, "json-all"), VALUE).localCheckpoint()
    assert outcome(converts.decode(written, VALUE)) == (rows, [None] * 3)
    client = SchemaRegistryClient({"url": registry})
    text = client.get_latest_version("json-all-value").schema.schema_str
    payload = bytes(written.select(VALUE).first()[0])
    theirs = JSONDeserializer(text)(payload, SerializationContext("json-all", MessageField.VALUE))
    assert {key: theirs[key] for key in ("i", "s", "a", "m", "n")} == {
        key: FULL[key] for key in ("i", "s", "a", "m", "n")
    }


def test_records_of_confluents_serializer_a_newer_schema_and_poison(spark: SparkSession, registry: str) -> None:
    serializer = JSONSerializer(json.dumps(PERSON), SchemaRegistryClient({"url": registry}))
    context = SerializationContext("people", MessageField.VALUE)
    old = serializer({"name": "Ana", "age": 7, "home": {"city": "Porto"}}, context)
    newer = {**PERSON, "properties": {**PERSON["properties"], "tall": {"type": ["boolean", "null"]}}}  # type: ignore[dict-item]
    client = registry_client({"schema.registry.url": registry})
    settings = {"schema.registry.url": registry}
    new = client.registered("people-newer-value", "JSON", json.dumps(newer))
    batch = [
        old,
        new.prefix + b'{"name":"Rui","tall":true}',
        new.prefix + b'{"name":',
        new.prefix + b'{"age":5}',
        b"x",
        None,
        new.prefix + b'{"name":"Eva","age":-1}',
    ]
    values, errors = outcome(converter("JsonSchemaConverter", settings, False).decode(frame(spark, batch), VALUE))
    nothing = {"name": None, "age": None, "home": None, "tall": None}
    ana = {**nothing, "name": "Ana", "age": 7, "home": {"city": "Porto"}}
    rui, eva = {**nothing, "name": "Rui", "tall": True}, {**nothing, "name": "Eva", "age": -1}
    assert values == [ana, rui, None, None, None, None, eva]
    shape = "struct<name:string,age:bigint,home:struct<city:string>,tall:boolean>"
    assert errors == [
        None,
        None,
        f"The bytes are no JSON of the type {shape}.",
        "Invalid null value for required field $.name.",
        "Unknown magic byte!",
        None,
        None,
    ]
    strict = converter("JsonSchemaConverter", {**settings, "json.fail.invalid.schema": "true"}, False)
    values, errors = outcome(strict.decode(frame(spark, [batch[1], batch[6]]), VALUE))
    assert values[1] is None
    assert errors[0] is None
    assert errors[1] is not None
    assert errors[1].startswith(f"Schema {new.id}: The value does not fit the schema at #/age")


NESTED = {
    "type": "object",
    "properties": {
        "id": {"type": "integer"},
        "inner": {
            "type": "object",
            "title": "Inner",
            "properties": {"size": {"type": "integer", "default": 7}, "name": {"type": "string"}},
            "required": ["name"],
        },
        "price": {
            "type": "number",
            "title": "org.apache.kafka.connect.data.Decimal",
            "connect.version": 1,
            "connect.type": "bytes",
            "connect.parameters": {"scale": "2"},
        },
    },
    "required": ["price"],
}


def test_inner_structs_have_defaults_and_keep_what_their_schema_says(spark: SparkSession, registry: str) -> None:
    new = registry_client({"schema.registry.url": registry}).registered("nested-value", "JSON", json.dumps(NESTED))
    texts = [
        b'{"id":1,"price":"AQ==","inner":{"name":"n"}}',
        b'{"price":1.5,"inner":null}',
        b'{"price":1.5,"inner":{"size":2}}',
        b'{"price":"!"}',
        b'{"price":1.5,"other":"\xff"}',
        b" null ",
        b"",
    ]
    batch = frame(spark, [new.prefix + text for text in texts])
    read = converter("JsonSchemaConverter", {"schema.registry.url": registry}, False).decode(batch, VALUE)
    good = [
        {"id": 1, "inner": {"size": 7, "name": "n"}, "price": Decimal("0.01")},
        {"id": None, "inner": None, "price": Decimal("1.50")},
    ]
    shape = "struct<id:bigint,inner:struct<size:bigint,name:string>,price:decimal(38,2)>"
    nothing = "Invalid null value for required field $."
    errors = [
        "Invalid null value for required field $.inner.name.",
        "Invalid null value for required field $.price.",
        f"The bytes are no JSON of the type {shape}.",
        nothing,
        nothing,
    ]
    assert outcome(read) == ([*good, *[None] * 5], [None, None, *errors])
    kind = read.schema[VALUE].dataType
    fields = (kind["inner"], kind["price"], *kind["inner"].dataType.fields)
    assert [field.metadata for field in fields] == [
        {"connect.name": "Inner"},
        {"connect.required": True},
        {"connect.default": "7"},
        {"connect.required": True},
    ]
