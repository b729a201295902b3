"""confluent-kafka's own serializers and ours: each reads what the other wrote."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

import pytest
from confluent_kafka.schema_registry import Schema, SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.schema_registry.json_schema import JSONDeserializer, JSONSerializer
from confluent_kafka.schema_registry.protobuf import ProtobufDeserializer, ProtobufSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

from riacho.pipelines.sql.formats.codec import Codec, CodecSpec
from riacho.pipelines.sql.formats.codecs import open_codec
from riacho.pipelines.sql.formats.memory_registry import MemoryRegistry
from riacho.pipelines.sql.formats.protobuf_codec import message_at
from riacho.schemas.protobuf.schema import ProtobufSchema

CONTEXT = SerializationContext("t", MessageField.VALUE)
COLUMNS = (
    ("ID", "BIGINT"),
    ("NAME", "STRING"),
    ("PRICE", "DECIMAL(8, 2)"),
    ("RATE", "DOUBLE"),
    ("OK", "BOOLEAN"),
    ("AT", "TIMESTAMP"),
    ("DAY", "DATE"),
    ("TAGS", "ARRAY<STRING>"),
    ("PLACE", "STRUCT<`LAT` DOUBLE, `NOTES` MAP<STRING, INTEGER>>"),
)
ROW: dict[str, Any] = {
    "ID": 7,
    "NAME": "ana",
    "PRICE": "-12.50",
    "RATE": 0.5,
    "OK": True,
    "AT": 1_600_000_000_123,
    "DAY": 18_000,
    "TAGS": ["a", "b"],
    "PLACE": {"LAT": 1.5, "NOTES": {"k": 1}},
}
NULLS = dict.fromkeys(ROW)
OPTIONS = {"auto.register.schemas": False, "use.latest.version": True}


def ours(name: str, **more: Any) -> tuple[Codec, MemoryRegistry, Any]:
    """Our codec, and a client with the same schema under the same id."""
    registry = MemoryRegistry()
    codec = open_codec(CodecSpec(name, False, COLUMNS, subject="t-value", **more), registry)
    codec.encode(ROW)
    found = registry.latest("t-value")
    assert found is not None
    client: Any = SchemaRegistryClient.new_client({"url": "mock://unit"})
    # Its Protobuf wants descriptors, which a registry gives it when it asks for `format=serialized`.
    text = found.parsed.formatted("serialized") if name == "PROTOBUF" else found.parsed.text
    schema_id = client.register_schema("t-value", Schema(text, found.parsed.schema_type))
    registry.register_as("mirror", found.parsed.schema_type, found.parsed.text, schema_id=schema_id)
    return codec, registry, client


def with_id(payload: bytes | None, client: Any) -> bytes:
    assert payload is not None
    return b"\0" + int(client.get_latest_version("t-value").schema_id).to_bytes(4, "big") + payload[5:]


AVRO_ROW = {
    "ID": 7,
    "NAME": "ana",
    "PRICE": decimal.Decimal("-12.50"),
    "RATE": 0.5,
    "OK": True,
    "AT": datetime.datetime.fromtimestamp(1_600_000_000.123, datetime.UTC),
    "DAY": datetime.date(1970, 1, 1) + datetime.timedelta(18_000),
    "TAGS": ["a", "b"],
    "PLACE": {"LAT": 1.5, "NOTES": [{"key": "k", "value": 1}]},
}


@pytest.mark.parametrize(("row", "theirs"), [(ROW, AVRO_ROW), (NULLS, dict.fromkeys(ROW))])
def test_avro(row: dict[str, Any], theirs: dict[str, Any]) -> None:
    codec, _, client = ours("AVRO")
    assert AvroDeserializer(client)(with_id(codec.encode(row), client), CONTEXT) == theirs
    payload = AvroSerializer(client, conf=OPTIONS)(theirs, CONTEXT)
    assert codec.decode(payload) == row


def test_avro_of_their_making() -> None:
    registry, client = MemoryRegistry(), SchemaRegistryClient.new_client({"url": "mock://unit"})
    text = """{"type": "record", "name": "User", "fields": [
        {"name": "id", "type": "int"}, {"name": "emails", "type": {"type": "map", "values": "string"}},
        {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["A", "B"]}}]}"""
    payload = AvroSerializer(client, text)({"id": 5, "emails": {"x": "y"}, "kind": "B"}, CONTEXT)
    registry.register_as("t-value", "AVRO", text, schema_id=int.from_bytes(payload[1:5], "big"))
    columns = (("ID", "BIGINT"), ("EMAILS", "MAP<STRING, STRING>"), ("KIND", "STRING"))
    codec = open_codec(CodecSpec("AVRO", False, columns, subject="t-value"), registry)
    assert codec.decode(payload) == {"ID": 5, "EMAILS": {"x": "y"}, "KIND": "B"}


JSON_ROW = {**ROW, "PRICE": -12.5}


@pytest.mark.parametrize(("row", "theirs"), [(ROW, JSON_ROW), (NULLS, dict.fromkeys(ROW))])
def test_json_schema(row: dict[str, Any], theirs: dict[str, Any]) -> None:
    """Their serializers hold values against the schema, so what we write is held against what we register."""
    codec, registry, client = ours("JSON_SR")
    text = registry.latest("t-value").parsed.text  # type: ignore[union-attr]
    deserializer = JSONDeserializer(text, schema_registry_client=client)
    assert deserializer(with_id(codec.encode(row), client), CONTEXT) == theirs
    payload = JSONSerializer(text, client, conf=OPTIONS)(theirs, CONTEXT)
    assert codec.decode(payload) == row


def message_class(registry: MemoryRegistry) -> Any:
    found = registry.latest("t-value")
    assert found is not None
    assert isinstance(found.parsed, ProtobufSchema)
    return message_at(found.parsed, (0,))


@pytest.mark.parametrize("nullable", [None, "OPTIONAL", "WRAPPER"])
def test_protobuf(nullable: str | None) -> None:
    properties = {} if nullable is None else {"nullableRepresentation": nullable}
    codec, registry, client = ours("PROTOBUF", properties=properties)
    message = message_class(registry)
    deserializer = ProtobufDeserializer(message, {"use.deprecated.format": False})
    read = deserializer(codec.encode(ROW), CONTEXT)
    assert (read.DAY.year, read.DAY.month, read.DAY.day) == (2019, 4, 14)
    assert read.PRICE.value == (-1_250).to_bytes(2, "big", signed=True)
    assert read.AT.seconds == 1_600_000_000
    notes = dict(read.PLACE.NOTES)
    assert (notes["k"].value if nullable == "WRAPPER" else notes["k"]) == 1
    serializer = ProtobufSerializer(message, client, {**OPTIONS, "use.deprecated.format": False})
    assert codec.decode(serializer(read, CONTEXT)) == ROW
