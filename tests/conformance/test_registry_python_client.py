"""python-schema-registry-client, blocking and asynchronous: its whole round, and its serializers through a topic."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

import pytest
from schema_registry.client import AsyncSchemaRegistryClient, SchemaRegistryClient
from schema_registry.client.errors import ClientError
from schema_registry.client.schema import AvroSchema, JsonSchema
from schema_registry.serializers import (
    AsyncAvroMessageSerializer,
    AsyncJsonMessageSerializer,
    AvroMessageSerializer,
    JsonMessageSerializer,
)

from conformance import confluent
from conformance.registry_schemas import AVRO, AVRO_BROKEN, AVRO_NEXT, JSON_SCHEMA, RECORD
from conformance.running_broker import RunningBroker
from support.service_process import ServiceProcess

FIRST, NEXT, BROKEN, JSON = AvroSchema(AVRO), AvroSchema(AVRO_NEXT), AvroSchema(AVRO_BROKEN), JsonSchema(JSON_SCHEMA)
BOTH = pytest.mark.parametrize("kind", ["blocking", "asynchronous"])


class Client:
    """One way to call both: an answer that has to be awaited is."""

    def __init__(self, kind: str, url: str) -> None:
        is_async = kind == "asynchronous"
        self.client: Any = AsyncSchemaRegistryClient(url=url) if is_async else SchemaRegistryClient(url=url)
        avro, json = (AvroMessageSerializer, JsonMessageSerializer)
        if is_async:
            avro, json = AsyncAvroMessageSerializer, AsyncJsonMessageSerializer  # type: ignore[assignment]
        self.avro, self.json = avro(self.client), json(self.client)

    def __getattr__(self, name: str) -> Any:
        return self.of(self.client, name)

    def of(self, target: Any, name: str) -> Any:
        call = getattr(target, name)

        def answer(*arguments: Any, **named: Any) -> Any:
            found = call(*arguments, **named)
            return asyncio.run(found) if inspect.isawaitable(found) else found

        return answer


@BOTH
def test_a_full_round(registry: ServiceProcess, name: str, kind: str):
    client = Client(kind, registry.url)
    first_id = client.register(name, FIRST)
    assert client.register(f"{name}-json", JSON) > 0
    second_id = client.register(name, NEXT)
    assert {name, f"{name}-json"} <= set(client.get_subjects())
    fresh = Client(kind, registry.url)
    assert fresh.get_by_id(first_id).raw_schema["name"] == "Order"
    assert fresh.get_schema(f"{name}-json").schema.schema_type == "JSON"
    assert fresh.get_schema(name).version == fresh.get_schema(name, version=2).version == 2
    assert fresh.get_schema(name, version=7) is None
    assert fresh.get_versions(name) == [1, 2]
    assert fresh.check_version(name, NEXT).schema_id == second_id
    assert fresh.check_version(name, BROKEN) is None
    found = fresh.get_schema_subject_versions(first_id)
    assert (name, 1) in {(each.subject, each.version) for each in found}
    assert fresh.delete_version(name, version=1) == 1
    assert fresh.delete_version(name, version=1) is None
    assert fresh.delete_subject(name) == [2]
    assert fresh.delete_subject(f"{name}-none") == []
    assert fresh.get_versions(name) == []


@BOTH
def test_compatibility(registry: ServiceProcess, name: str, kind: str):
    client = Client(kind, registry.url)
    client.register(name, FIRST)
    assert client.test_compatibility(name, NEXT) is True
    assert client.test_compatibility(name, BROKEN) is False
    told = client.test_compatibility(name, BROKEN, verbose=True)
    assert told["is_compatible"] is False
    assert told["messages"]
    with pytest.raises(ClientError):
        client.register(name, BROKEN)
    assert client.update_compatibility("NONE", subject=name) is True
    assert client.get_compatibility(subject=name) == "NONE"
    assert client.get_compatibility() == "BACKWARD"
    assert client.register(name, BROKEN) > 0


@BOTH
def test_records_through_a_topic(broker: RunningBroker, registry: ServiceProcess, name: str, kind: str):
    client, reader = Client(kind, registry.url), Client(kind, registry.url)
    encode = "encode_record_with_schema"
    values = [
        client.of(client.avro, encode)(f"{name}-value", FIRST, RECORD),
        client.of(client.json, encode)(f"{name}-json-value", JSON, RECORD),
    ]
    schema_id = client.get_schema(f"{name}-value").schema_id
    values.append(client.of(client.avro, "encode_record_with_schema_id")(schema_id, RECORD))
    confluent.produce(broker.bootstrap, name, [{"value": value} for value in values])
    got = [message.value() for message in confluent.read_all(broker.bootstrap, name, 3)]
    readers = (reader.avro, reader.json, reader.avro)
    decoded = [reader.of(each, "decode_message")(value) for each, value in zip(readers, got, strict=True)]
    assert decoded == [RECORD] * 3
