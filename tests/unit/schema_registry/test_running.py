"""The registry as it runs: over a broker of the test kit, with Confluent's own client."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import Consumer, TopicPartition

from riacho.testing import KafkaCluster
from support.schema_registry import record_schema
from support.schema_registry_process import running_registry, until

A = record_schema("a:int")
AB = record_schema("a:int", "b:int=0")


@pytest.fixture(scope="module")
def cluster() -> Iterator[KafkaCluster]:
    with KafkaCluster() as started:
        yield started


def _log(cluster: KafkaCluster, topic: str) -> list[tuple[bytes | None, bytes | None]]:
    consumer = Consumer(
        {"bootstrap.servers": cluster.bootstrap_servers, "group.id": "looking", "enable.auto.commit": False}
    )
    try:
        partition = TopicPartition(topic, 0, 0)
        end = consumer.get_watermark_offsets(partition, timeout=60)[1]
        consumer.assign([partition])
        found = []
        while consumer.position([partition])[0].offset < end:
            message = consumer.poll(0.1)
            if message is not None and message.error() is None:
                found.append((message.key(), message.value()))
        return found
    finally:
        consumer.close()


def test_a_round_and_a_restart(cluster: KafkaCluster) -> None:
    properties = {"kafkastore.topic": "_round", "schema.registry.group.id": "round"}
    with running_registry(cluster, properties) as registry:
        assert registry.register("orders-value", A) == 1
        assert registry.call("POST", "/subjects/orders-value/versions", {"schema": AB})[1]["version"] == 2
        assert registry.call("PUT", "/config/orders-value", {"compatibility": "FULL"})[0] == 200
        assert registry.register(":.eu:orders-value", A) == 1
        cluster_id = registry.get("/v1/metadata/id")[1]["scope"]["clusters"]["kafka-cluster"]
        assert cluster_id
        before = registry.get("/schemas?deleted=true")
    keys = [key for key, _ in _log(cluster, "_round")]
    assert b'{"keytype":"SCHEMA","subject":"orders-value","version":2,"magic":1}' in keys
    assert b'{"keytype":"NOOP","magic":0}' in keys
    with running_registry(cluster, properties) as registry:
        assert registry.get("/schemas?deleted=true") == before
        assert registry.get("/config/orders-value") == (200, {"compatibilityLevel": "FULL"})
        assert registry.register("new", '"long"') == 3


def test_two_instances_and_a_change_of_leader(cluster: KafkaCluster) -> None:
    properties = {"kafkastore.topic": "_two", "schema.registry.group.id": "two"}
    with running_registry(cluster, properties) as second_outer:
        assert second_outer.register("s", A) == 1
        with running_registry(cluster, properties) as other:
            instances = (second_outer, other)
            until(lambda: sum(instance.is_leader for instance in instances) == 1)
            follower = next(instance for instance in instances if not instance.is_leader)
            leader = next(instance for instance in instances if instance.is_leader)
            assert follower.register("s", AB) == 2
            assert follower.get("/subjects/s/versions") == (200, [1, 2])
            until(lambda: leader.get("/subjects/s/versions") == (200, [1, 2]))
            assert leader.call("PUT", "/config/s", {"compatibility": "NONE"})[0] == 200
            until(lambda: follower.get("/config/s") == (200, {"compatibilityLevel": "NONE"}))
        assert second_outer.register("t", '"string"') == 3
        assert second_outer.get("/subjects") == (200, ["s", "t"])


def test_confluents_client_and_serdes(cluster: KafkaCluster) -> None:
    from confluent_kafka.schema_registry import Schema, SchemaRegistryClient
    from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
    from confluent_kafka.schema_registry.error import SchemaRegistryError
    from confluent_kafka.serialization import MessageField, SerializationContext

    properties = {"kafkastore.topic": "_client", "schema.registry.group.id": "client"}
    with running_registry(cluster, properties) as registry:
        until(lambda: registry.is_leader)
        client = SchemaRegistryClient({"url": registry.url})
        schema_id = client.register_schema("s", Schema(A, "AVRO"))
        assert client.get_schema(schema_id).schema_str == A
        assert client.get_latest_version("s").version == 1
        assert client.get_subjects() == ["s"]
        assert client.test_compatibility("s", Schema(AB, "AVRO"))
        assert client.set_compatibility("s", "FULL")
        assert client.get_compatibility("s") == "FULL"
        with pytest.raises(SchemaRegistryError) as refused:
            client.get_version("s", 9)
        assert (refused.value.http_status_code, refused.value.error_code) == (404, 40402)
        context = SerializationContext("topic", MessageField.VALUE)
        payload = AvroSerializer(client, AB)({"a": 1, "b": 2}, context)
        assert payload[:1] == b"\x00"
        assert AvroDeserializer(client, A)(payload, context) == {"a": 1}
        assert client.get_subjects() == ["s", "topic-value"]
        assert client.delete_subject("s") == [1]


def _message_class() -> Any:
    """message Order { string name = 1; google.protobuf.Timestamp at = 2; }"""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, timestamp_pb2

    file = descriptor_pb2.FileDescriptorProto(name="order.proto", package="shop", syntax="proto3")
    file.dependency.append("google/protobuf/timestamp.proto")
    message = file.message_type.add(name="Order")
    message.field.add(name="name", number=1, label=1, type=9)
    message.field.add(name="at", number=2, label=1, type=11, type_name=".google.protobuf.Timestamp")
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(timestamp_pb2.DESCRIPTOR.serialized_pb)
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("shop.Order"))


def test_json_and_protobuf_serdes(cluster: KafkaCluster) -> None:
    from confluent_kafka.schema_registry import SchemaRegistryClient
    from confluent_kafka.schema_registry.json_schema import JSONDeserializer, JSONSerializer
    from confluent_kafka.schema_registry.protobuf import ProtobufDeserializer, ProtobufSerializer
    from confluent_kafka.serialization import MessageField, SerializationContext

    properties = {"kafkastore.topic": "_serdes", "schema.registry.group.id": "serdes"}
    with running_registry(cluster, properties) as registry:
        client = SchemaRegistryClient({"url": registry.url})
        schema = '{"title":"P","type":"object","properties":{"name":{"type":"string"}}}'
        context = SerializationContext("people", MessageField.VALUE)
        payload = JSONSerializer(schema, client)({"name": "ana"}, context)
        assert JSONDeserializer(schema)(payload, context) == {"name": "ana"}
        context = SerializationContext("orders", MessageField.VALUE)
        order = _message_class()
        payload = ProtobufSerializer(order, client)(order(name="ana"), context)
        fresh = SchemaRegistryClient({"url": registry.url})
        for each in (client, fresh):
            assert ProtobufDeserializer(order, {}, each)(payload, context).name == "ana"
        assert registry.get("/subjects") == (200, ["orders-value", "people-value"])
        assert 'import "google/protobuf/timestamp.proto";' in registry.get("/schemas/ids/2")[1]["schema"]


def test_callers_are_known_and_held_to_rules(cluster: KafkaCluster, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("access")
    (folder / "users").write_text("ana: secret,writer\nbob: hidden,reader\n")
    (folder / "rules").write_text("allow role:writer * orders-*\nallow * read orders-*\n")
    properties = {
        "kafkastore.topic": "_access",
        "schema.registry.group.id": "access",
        "authentication.method": "BASIC",
        "authentication.user.file": str(folder / "users"),
        "authorization.rules.file": str(folder / "rules"),
    }
    ana = {"Authorization": "Basic " + b64encode(b"ana:secret").decode()}
    bob = {"Authorization": "Basic " + b64encode(b"bob:hidden").decode()}
    path, body = "/subjects/orders-value/versions", {"schema": A}
    with running_registry(cluster, properties) as first, running_registry(cluster, properties) as second:
        until(lambda: first.is_leader or second.is_leader)
        assert first.call("POST", path, body)[0] == 401
        for instance in (first, second):
            assert instance.call("POST", path, body, headers=bob)[1]["error_code"] == 40301
            assert instance.call("POST", path, body, headers=ana)[1]["id"] == 1
            assert instance.call("GET", f"{path}/1", headers=bob)[0] == 200
            assert instance.call("POST", "/subjects/other/versions", body, headers=ana)[1]["error_code"] == 40301
