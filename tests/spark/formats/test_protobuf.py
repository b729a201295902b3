"""The Protobuf converter: round trip of all types, records of Confluent's serializer, nested messages, poison."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.protobuf import ProtobufDeserializer, ProtobufSerializer
from confluent_kafka.serialization import MessageField, SerializationContext
from google.protobuf.timestamp_pb2 import Timestamp
from google.protobuf.type_pb2 import Field

from riacho.pipelines.formats.converters import converter
from riacho.pipelines.formats.registry_client import registry_client
from riacho.pipelines.records import VALUE
from spark.formats.record_frames import frame, outcome, typed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

KIND = (
    "struct<i:int,l:bigint,f:float,d:double,b:boolean,s:string,by:binary,ts:timestamp,da:date,dec:decimal(10,2),"
    "a:array<int>,m:map<string,bigint>,mi:map<int,string>,n:struct<x:smallint,ys:array<struct<q:string>>>>"
)
FULL = {
    "i": 0, "l": 2**40, "f": 1.5, "d": 0.1, "b": False, "s": "é", "by": b"\0\xff",
    "ts": datetime(2020, 1, 1, 0, 0, 0, 5001), "da": date(2020, 2, 29), "dec": Decimal("-123.450000000000000000"),
    "a": [1, 2], "m": {"k": 1}, "mi": {5: "v"}, "n": {"x": 7, "ys": [{"q": "a"}, {"q": ""}]},
}  # fmt: skip
# Lists and maps cannot be null in Protobuf.
EMPTY = {**dict.fromkeys(FULL), "a": [], "m": {}, "mi": {}}


def test_all_types_come_back(spark: SparkSession, registry: str) -> None:
    protobuf = converter(
        "io.confluent.connect.protobuf.ProtobufConverter", {"schema.registry.url": registry}, is_key=False
    )
    rows = [FULL, None, dict.fromkeys(FULL)]
    written = protobuf.encode(typed(spark, KIND, rows, "protobuf-all"), VALUE).localCheckpoint()
    assert outcome(protobuf.decode(written, VALUE)) == ([FULL, None, EMPTY], [None] * 3)


def test_records_of_confluents_serializer(spark: SparkSession, registry: str) -> None:
    """`google.protobuf.Field` is a message that everybody has: enums, references to other files, strings."""
    serializer = ProtobufSerializer(Field, SchemaRegistryClient({"url": registry}), {"use.deprecated.format": False})
    context = SerializationContext("confluent-protobuf", MessageField.VALUE)
    messages = [Field(kind="TYPE_INT32", number=number, name=f"n{number}", packed=True) for number in range(1, 4)]
    payloads = [serializer(message, context) for message in messages]
    protobuf = converter("ProtobufConverter", {"schema.registry.url": registry}, is_key=False)
    values, errors = outcome(protobuf.decode(frame(spark, payloads), VALUE))
    assert errors == [None] * 3
    assert [(each["kind"], each["number"], each["name"], each["packed"]) for each in values] == [
        ("TYPE_INT32", number, f"n{number}", True) for number in range(1, 4)
    ]


MESSAGES = """
syntax = "proto3"; package shop;
message Outer {
  string id = 1;
  message Inner { int32 n = 1; }
}
message Other { bool yes = 1; }
"""


def test_messages_by_their_place_in_the_file_and_poison_between_them(spark: SparkSession, registry: str) -> None:
    schema = registry_client({"schema.registry.url": registry}).registered("shop-value", "PROTOBUF", MESSAGES)
    protobuf = converter("ProtobufConverter", {"schema.registry.url": registry}, is_key=False)
    batch = [
        schema.prefix + b"\0" + b"\x0a\x01a",
        schema.prefix + b"\x04\0\0" + b"\x08\x05",
        schema.prefix + b"\0" + b"\x0a\x09a",
        schema.prefix + b"\x02\x0e" + b"\x08\x01",
        schema.prefix + b"\x02\x02" + b"\x08\x01",
        schema.prefix,
        None,
        schema.prefix + b"\0" + b"\x0a\x01b",
    ]
    values, errors = outcome(protobuf.decode(frame(spark, batch), VALUE))
    wrong = f"The bytes are no Protobuf of schema {schema.id}."
    assert errors == [None, None, wrong, wrong, None, wrong, None, None]
    nothing = {"id": None, "n": None, "yes": None}
    assert values == [
        {**nothing, "id": "a"},
        {**nothing, "n": 5},
        None,
        None,
        {**nothing, "yes": True},
        None,
        None,
        {**nothing, "id": "b"},
    ]


def test_confluents_deserializer_reads_ours(spark: SparkSession, registry: str) -> None:
    """Timestamp has the shape that a struct of seconds and nanos becomes."""
    protobuf = converter("ProtobufConverter", {"schema.registry.url": registry}, is_key=False)
    rows = [{"seconds": 5, "nanos": 7}, {"seconds": 0, "nanos": -1}]
    written = protobuf.encode(typed(spark, "struct<seconds:bigint,nanos:int>", rows, "ours"), VALUE)
    deserializer = ProtobufDeserializer(Timestamp, {"use.deprecated.format": False})
    context = SerializationContext("ours", MessageField.VALUE)
    found = [deserializer(bytes(row[0]), context) for row in written.select(VALUE).collect()]
    assert found == [Timestamp(seconds=5, nanos=7), Timestamp(seconds=0, nanos=-1)]
