"""confluent-kafka's asynchronous client and serializers, and what clients of today ask a registry of yesterday for."""

from __future__ import annotations

import asyncio

import pytest
from confluent_kafka.schema_registry import AsyncSchemaRegistryClient, Schema, SchemaRegistryClient
from confluent_kafka.schema_registry._async.avro import AsyncAvroDeserializer, AsyncAvroSerializer
from confluent_kafka.schema_registry.error import SchemaRegistryError
from confluent_kafka.serialization import MessageField, SerializationContext

from conformance import confluent
from conformance.registry_schemas import AVRO, AVRO_BROKEN, AVRO_NEXT, RECORD, text
from conformance.running_broker import RunningBroker
from support.service_process import ServiceProcess


def test_a_round_of_the_asynchronous_client(registry: ServiceProcess, name: str):
    async def run() -> None:
        client = AsyncSchemaRegistryClient({"url": registry.url})
        schema_id = await client.register_schema(name, Schema(text(AVRO)))
        assert (await client.get_schema(schema_id)).schema_type == "AVRO"
        assert await client.get_versions(name) == [1]
        assert await client.test_compatibility(name, Schema(text(AVRO_NEXT))) is True
        with pytest.raises(SchemaRegistryError) as caught:
            await client.register_schema(name, Schema(text(AVRO_BROKEN)))
        assert (caught.value.http_status_code, caught.value.error_code) == (409, 409)
        assert await client.delete_subject(name) == [1]

    asyncio.run(run())


def test_many_at_once_get_one_id(registry: ServiceProcess, name: str):
    async def run() -> None:
        clients = [AsyncSchemaRegistryClient({"url": registry.url}) for _ in range(8)]
        ids = await asyncio.gather(*(client.register_schema(name, Schema(text(AVRO))) for client in clients))
        assert len(set(ids)) == 1
        assert await clients[0].get_versions(name) == [1]

    asyncio.run(run())


def test_records_through_a_topic(broker: RunningBroker, registry: ServiceProcess, name: str):
    context = SerializationContext(name, MessageField.VALUE)

    async def encode() -> bytes:
        serializer = await AsyncAvroSerializer(AsyncSchemaRegistryClient({"url": registry.url}), text(AVRO))
        data: bytes = await serializer(RECORD, context)
        return data

    async def decode(data: bytes) -> object:
        deserializer = await AsyncAvroDeserializer(AsyncSchemaRegistryClient({"url": registry.url}))
        return await deserializer(data, context)

    confluent.produce(broker.bootstrap, name, [{"value": asyncio.run(encode())}])
    (message,) = confluent.read_all(broker.bootstrap, name, 1)
    assert asyncio.run(decode(message.value())) == RECORD


def test_associations_are_not_found_rather_than_broken(registry: ServiceProcess, name: str):
    """The serializers ask for the associations of a topic first; with 404 they take the subject's usual name."""
    with SchemaRegistryClient({"url": registry.url}) as client, pytest.raises(SchemaRegistryError) as caught:
        client.get_associations_by_resource_name(name, "-", "topic", ["value"])
    assert caught.value.http_status_code == 404
