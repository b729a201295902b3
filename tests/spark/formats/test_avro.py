"""The Avro converter: round trip of all types, records of Confluent's serializer, evolution, poison in its place."""

from __future__ import annotations

import io
import json
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import fastavro
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

from riacho.pipelines.formats.converters import converter
from riacho.pipelines.formats.registry_client import registry_client
from riacho.pipelines.records import STAGE_VALUE_CONVERTER, VALUE
from riacho.schemas.registry_conversations import RegisteredSchema
from spark.formats.record_frames import frame, outcome, typed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

KIND = (
    "struct<i8:tinyint,i16:smallint,i:int,l:bigint,f:float,d:double,b:boolean,s:string,by:binary,ts:timestamp,da:date,"
    "dec:decimal(10,2),a:array<int>,m:map<string,bigint>,mi:map<int,string>,n:struct<x:int,ys:array<struct<q:string>>>>"
)
FULL = {
    "i8": 1, "i16": -2, "i": 3, "l": 2**40, "f": 1.5, "d": 0.1, "b": True, "s": "é", "by": b"\0\xff",
    "ts": datetime(2020, 1, 1, 0, 0, 0, 5000), "da": date(2020, 2, 29), "dec": Decimal("-123.45"), "a": [1, None],
    "m": {"k": 1}, "mi": {5: "v"}, "n": {"x": 7, "ys": [{"q": "a"}, {"q": None}]},
}  # fmt: skip
EMPTY = dict.fromkeys(FULL)


def test_all_types_come_back(spark: SparkSession, registry: str) -> None:
    avro = converter("io.confluent.connect.avro.AvroConverter", {"schema.registry.url": registry}, is_key=False)
    written = avro.encode(typed(spark, KIND, [FULL, None, EMPTY], "avro-all"), VALUE).localCheckpoint()
    read = avro.decode(written, VALUE)
    assert outcome(read) == ([FULL, None, EMPTY], [None] * 3)
    assert read.schema[VALUE].metadata == {"connect.name": "io.confluent.connect.avro.ConnectDefault"}
    payload = written.select(VALUE).first()[0]
    deserializer = AvroDeserializer(SchemaRegistryClient({"url": registry}))
    theirs = deserializer(bytes(payload), SerializationContext("avro-all", MessageField.VALUE))
    assert {key: theirs[key] for key in ("i8", "l", "s", "by", "da", "dec", "a", "m", "n")} == {
        key: FULL[key] for key in ("i8", "l", "s", "by", "da", "dec", "a", "m", "n")
    }


def _schema(*fields: dict[str, Any]) -> str:
    return json.dumps({"type": "record", "name": "Event", "namespace": "example", "fields": list(fields)})


V1 = _schema({"name": "a", "type": "int"}, {"name": "gone", "type": "string"})
V2 = _schema({"name": "a", "type": "long"}, {"name": "b", "type": "string", "default": "new"})
V3 = _schema(
    {"name": "a", "type": "long"},
    {"name": "b", "type": "string", "default": "new"},
    {"name": "c", "type": ["null", "double"], "default": None},
)


def payload(schema: RegisteredSchema, value: dict[str, Any]) -> bytes:
    buffer = io.BytesIO()
    fastavro.schemaless_writer(buffer, fastavro.parse_schema(json.loads(schema.parsed.text)), value)
    return schema.prefix + buffer.getvalue()


def test_older_rows_are_resolved_and_poison_stays_in_its_place(spark: SparkSession, registry: str) -> None:
    client = registry_client({"schema.registry.url": registry})
    one, two, three = (client.registered("events-value", "AVRO", text) for text in (V1, V2, V3))
    avro = converter("AvroConverter", {"schema.registry.url": registry}, is_key=False)
    batch = [
        payload(one, {"a": 1, "gone": "x"}),
        payload(two, {"a": 2, "b": "y"}),
        b"\0\0\0\0",
        b"garbage!",
        None,
        two.prefix + b"\xff\xff",
        b"\0\0\0\xff\xff12",
        payload(one, {"a": 3, "gone": "x"}),
    ]
    read = avro.decode(frame(spark, batch), VALUE)
    values, messages = outcome(read)
    assert values == [{"a": 1, "b": "new"}, {"a": 2, "b": "y"}, None, None, None, None, None, {"a": 3, "b": "new"}]
    assert messages == [
        None,
        None,
        "Unknown magic byte!",
        "Unknown magic byte!",
        None,
        f"The bytes are no Avro of schema {two.id}.",
        "Schema 65535: The schema registry answered 404: Schema 65535 not found",
        None,
    ]
    error = next(row.error for row in read.select("error").collect() if row.error)
    assert (error.stage, error.class_name) == (STAGE_VALUE_CONVERTER, "io.confluent.connect.avro.AvroConverter")
    # A later batch has a newer schema, and the one after it only old rows: the newest seen stays the reader.
    later = avro.decode(frame(spark, [payload(three, {"a": 4, "b": "z", "c": 0.5})]), VALUE)
    assert outcome(later) == ([{"a": 4, "b": "z", "c": 0.5}], [None])
    last = avro.decode(frame(spark, [payload(one, {"a": 5, "gone": "x"})]), VALUE)
    assert outcome(last) == ([{"a": 5, "b": "new", "c": None}], [None])


def test_records_of_confluents_serializer(spark: SparkSession, registry: str) -> None:
    serializer = AvroSerializer(SchemaRegistryClient({"url": registry}), V2)
    context = SerializationContext("confluent-avro", MessageField.VALUE)
    payloads = [serializer({"a": number, "b": str(number)}, context) for number in range(3)]
    avro = converter("AvroConverter", {"schema.registry.url": registry}, is_key=False)
    assert outcome(avro.decode(frame(spark, payloads), VALUE)) == (
        [{"a": number, "b": str(number)} for number in range(3)],
        [None] * 3,
    )


def test_a_schema_that_the_registry_refuses_fails_the_rows_of_its_topic(spark: SparkSession, registry: str) -> None:
    registry_client({"schema.registry.url": registry}).registered("refused-value", "AVRO", V1)
    avro = converter("AvroConverter", {"schema.registry.url": registry}, is_key=False)
    values, messages = outcome(avro.encode(typed(spark, "struct<other:int>", [{"other": 1}, None], "refused"), VALUE))
    assert values == [None, None]
    assert messages[0] is not None
    assert messages[0].startswith("The schema registry answered 409: Schema being registered is incompatible")
    assert messages[1] is None
