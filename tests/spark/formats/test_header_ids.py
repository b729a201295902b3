"""Records of Confluent's serializers that name their schema by GUID in a header, among those that have it in front."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from uuid import UUID

from confluent_kafka.schema_registry import SchemaRegistryClient, header_schema_id_serializer
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.schema_registry.json_schema import JSONSerializer
from confluent_kafka.schema_registry.protobuf import ProtobufSerializer
from confluent_kafka.serialization import MessageField, SerializationContext
from google.protobuf.type_pb2 import Field

from riacho.pipelines.formats.converters import converter
from riacho.pipelines.records import VALUE, as_records
from spark.formats.record_frames import outcome

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

AVRO = json.dumps({"type": "record", "name": "Sale", "fields": [{"name": "id", "type": "int"}]})
JSON = json.dumps({"type": "object", "title": "Sale", "properties": {"id": {"type": "integer"}}})
Serialize = Callable[[int, SerializationContext], bytes | None]
Row = tuple[str, bytearray | None, list[tuple[str, bytes]]]
IN_HEADER = {"schema.id.serializer": header_schema_id_serializer}
UNKNOWN = UUID(int=7)


def _avro(client: SchemaRegistryClient, conf: dict[str, Any]) -> Serialize:
    serializer = AvroSerializer(client, AVRO, conf=conf)
    return lambda number, context: serializer({"id": number}, context)


def _json(client: SchemaRegistryClient, conf: dict[str, Any]) -> Serialize:
    serializer = JSONSerializer(JSON, client, conf=conf)
    return lambda number, context: serializer({"id": number}, context)


def _protobuf(client: SchemaRegistryClient, conf: dict[str, Any]) -> Serialize:
    """Not the first message of its file, so that its index is told too."""
    serializer = ProtobufSerializer(Field, client, {"use.deprecated.format": False, **conf})
    return lambda number, context: serializer(Field(number=number), context)


def _rows(registry: str, topic: str, serializers: Any) -> list[Row]:
    """By header, in front, by header again; then what is wrong: an unknown GUID, no GUID; and a tombstone."""
    client = SchemaRegistryClient({"url": registry})
    rows: list[Row] = []
    for number, conf in enumerate((IN_HEADER, {}, IN_HEADER)):
        context = SerializationContext(topic, MessageField.VALUE, [("other", b"x")])
        payload = serializers(client, conf)(number, context)
        assert isinstance(context.headers, list)
        rows.append((topic, bytearray(payload or b""), list(context.headers)))
    name = next(name for name, _ in rows[0][2] if name != "other")
    assert name == "__value_schema_id"
    assert len(rows[1][2]) == 1
    rows.append((topic, bytearray(b"\2"), [(name, b"\1" + UNKNOWN.bytes)]))
    rows.append((topic, bytearray(b"\2"), [(name, b"\1short")]))
    rows.append((topic, None, [(name, b"\1short")]))
    return rows


def test_all_three_formats(spark: SparkSession, registry: str) -> None:
    schema = "topic string, value binary, headers array<struct<key: string, value: binary>>"
    cases = (("Avro", _avro, "id"), ("JsonSchema", _json, "id"), ("Protobuf", _protobuf, "number"))
    for name, serializers, field in cases:
        rows = _rows(registry, f"header-{name.lower()}", serializers)
        batch = as_records(spark.createDataFrame(rows, schema).coalesce(1))
        read = converter(name, {"schema.registry.url": registry}, is_key=False).decode(batch, VALUE)
        values, errors = outcome(read)
        assert [value and value[field] for value in values] == [0, 1, 2, None, None, None], (name, errors)
        assert errors[:3] == [None] * 3
        assert "40" in (errors[3] or "")
        assert errors[4:] == ["The header that names the schema has neither an id nor a GUID.", None]
