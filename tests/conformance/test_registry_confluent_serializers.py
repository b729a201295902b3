"""confluent-kafka's Avro, JSON Schema and Protobuf serializers with our registry, through topics of the broker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from confluent_kafka.schema_registry import (
    Metadata,
    MetadataProperties,
    Rule,
    RuleKind,
    RuleMode,
    RuleSet,
    Schema,
    SchemaReference,
    SchemaRegistryClient,
    header_schema_id_serializer,
    record_subject_name_strategy,
    topic_record_subject_name_strategy,
)
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.schema_registry.error import SchemaRegistryError
from confluent_kafka.schema_registry.json_schema import JSONDeserializer, JSONSerializer
from confluent_kafka.schema_registry.protobuf import ProtobufDeserializer, ProtobufSerializer
from confluent_kafka.schema_registry.rule_registry import RuleRegistry
from confluent_kafka.schema_registry.serde import RuleConditionError, RuleContext, RuleExecutor
from confluent_kafka.serialization import MessageField, SerializationContext, SerializationError

from conformance.registry_messages import Line, NextOrder, Order, Place
from conformance.registry_records import messages, receive, send
from conformance.registry_schemas import AVRO, AVRO_BROKEN, AVRO_NEXT, JSON_SCHEMA, RECORD, text
from conformance.running_broker import RunningBroker
from support.service_process import ServiceProcess

NO_REGISTERING = {"auto.register.schemas": False}
LATEST = {"auto.register.schemas": False, "use.latest.version": True}
HEADER = {"schema.id.serializer": header_schema_id_serializer}


@pytest.fixture
def client(registry: ServiceProcess) -> Iterator[SchemaRegistryClient]:
    with SchemaRegistryClient({"url": registry.url}) as made:
        yield made


def test_avro_keys_and_values(broker: RunningBroker, client: SchemaRegistryClient, name: str):
    serializer, deserializer = AvroSerializer(client, text(AVRO)), AvroDeserializer(client)
    send(broker.bootstrap, name, serializer, RECORD)
    assert receive(broker.bootstrap, name, deserializer) == [RECORD]
    send(broker.bootstrap, f"{name}-keyed", AvroSerializer(client, '"long"'), 42, is_key=True)
    assert receive(broker.bootstrap, f"{name}-keyed", deserializer, is_key=True) == [42]
    assert client.get_latest_version(f"{name}-keyed-key").schema.schema_str == '"long"'
    payload = messages(broker.bootstrap, name, 1)[0].value()
    assert payload[0] == 0
    assert int.from_bytes(payload[1:5], "big") == client.get_latest_version(f"{name}-value").schema_id


def test_avro_evolves(broker: RunningBroker, client: SchemaRegistryClient, name: str):
    newer = RECORD | {"note": "hot"}
    send(broker.bootstrap, name, AvroSerializer(client, text(AVRO)), RECORD)
    send(broker.bootstrap, name, AvroSerializer(client, text(AVRO_NEXT)), newer)
    assert client.get_versions(f"{name}-value") == [1, 2]
    assert receive(broker.bootstrap, name, AvroDeserializer(client), 2) == [RECORD, newer]
    assert receive(broker.bootstrap, name, AvroDeserializer(client, text(AVRO)), 2) == [RECORD, RECORD]
    newest = AvroDeserializer(client, conf={"use.latest.version": True})
    assert receive(broker.bootstrap, name, newest, 2) == [RECORD | {"note": None}, newer]
    with pytest.raises(SchemaRegistryError, match="incompatible"):
        send(broker.bootstrap, name, AvroSerializer(client, text(AVRO_BROKEN)), {"id": "x", "price": 1.0})


def test_avro_with_references(broker: RunningBroker, client: SchemaRegistryClient, name: str):
    place = '{"type": "record", "name": "Place", "namespace": "geo", "fields": [{"name": "city", "type": "string"}]}'
    client.register_schema(f"{name}-place", Schema(place))
    order = '{"type": "record", "name": "Order", "fields": [{"name": "at", "type": ["null", "geo.Place"]}]}'
    schema = Schema(order, "AVRO", [SchemaReference("geo.Place", f"{name}-place", 1)])
    send(broker.bootstrap, name, AvroSerializer(client, schema), {"at": {"city": "Porto"}}, {"at": None})
    wanted = [{"at": {"city": "Porto"}}, {"at": None}]
    assert receive(broker.bootstrap, name, AvroDeserializer(client), 2) == wanted


def test_a_producer_that_may_not_register(broker: RunningBroker, client: SchemaRegistryClient, name: str):
    serializer = AvroSerializer(client, text(AVRO), conf=NO_REGISTERING)
    with pytest.raises(SchemaRegistryError) as caught:
        serializer(RECORD, SerializationContext(name, MessageField.VALUE))
    assert (caught.value.http_status_code, caught.value.error_code) == (404, 40401)
    client.register_schema(f"{name}-value", Schema(text(AVRO)))
    send(broker.bootstrap, name, serializer, RECORD)
    assert receive(broker.bootstrap, name, AvroDeserializer(client)) == [RECORD]


def test_a_producer_that_uses_the_latest_version(broker: RunningBroker, client: SchemaRegistryClient, name: str):
    client.register_schema(f"{name}-value", Schema(text(AVRO)))
    latest_id = client.register_schema(f"{name}-value", Schema(text(AVRO_NEXT)))
    send(broker.bootstrap, name, AvroSerializer(client, conf=LATEST), RECORD)
    assert receive(broker.bootstrap, name, AvroDeserializer(client)) == [RECORD | {"note": None}]
    assert int.from_bytes(messages(broker.bootstrap, name, 1)[0].value()[1:5], "big") == latest_id


def test_a_producer_that_picks_by_metadata_or_by_id(broker: RunningBroker, client: SchemaRegistryClient, name: str):
    marked = Metadata(None, MetadataProperties({"major": "1"}), None)
    first_id = client.register_schema(f"{name}-value", Schema(text(AVRO), "AVRO", [], marked))
    other = Metadata(None, MetadataProperties({"major": "2"}), None)
    client.register_schema(f"{name}-value", Schema(text(AVRO_NEXT), "AVRO", [], other))
    by_metadata = {"auto.register.schemas": False, "use.latest.with.metadata": {"major": "1"}}
    send(broker.bootstrap, name, AvroSerializer(client, conf=by_metadata), RECORD)
    by_id = {"auto.register.schemas": False, "use.schema.id": first_id}
    send(broker.bootstrap, name, AvroSerializer(client, conf=by_id), RECORD)
    ids = [int.from_bytes(message.value()[1:5], "big") for message in messages(broker.bootstrap, name, 2)]
    assert ids == [first_id, first_id]


@pytest.mark.parametrize(
    ("strategy", "subject"),
    [(record_subject_name_strategy, "shop.Order"), (topic_record_subject_name_strategy, "{topic}-shop.Order")],
)
def test_subjects_by_strategy(broker: RunningBroker, client: SchemaRegistryClient, name: str, strategy, subject: str):
    conf = {"subject.name.strategy": strategy}
    send(broker.bootstrap, name, AvroSerializer(client, text(AVRO), conf=conf), RECORD)
    assert client.get_versions(subject.format(topic=name))
    assert receive(broker.bootstrap, name, AvroDeserializer(client, conf=conf)) == [RECORD]


def test_the_guid_in_a_header(broker: RunningBroker, client: SchemaRegistryClient, name: str):
    record = RECORD | {"item": "green tea"}  # the client takes five bytes or less for a record that was cut
    send(broker.bootstrap, name, AvroSerializer(client, text(AVRO), conf=HEADER), record)
    (message,) = messages(broker.bootstrap, name, 1)
    ((header, value),) = message.headers()
    guid = client.get_latest_version(f"{name}-value").guid
    assert (header, value[0], value[1:].hex()) == ("__value_schema_id", 1, guid.replace("-", ""))
    with SchemaRegistryClient({"url": client.config()["url"]}) as fresh:
        assert receive(broker.bootstrap, name, AvroDeserializer(fresh)) == [record]


def test_normalized_registration(broker: RunningBroker, client: SchemaRegistryClient, name: str):
    spread = AVRO | {"fields": [{"name": "id", "type": {"type": "long"}}, AVRO["fields"][1]]}
    conf = {"normalize.schemas": True}
    send(broker.bootstrap, name, AvroSerializer(client, text(AVRO), conf=conf), RECORD)
    send(broker.bootstrap, name, AvroSerializer(client, text(spread), conf=conf), RECORD)
    assert client.get_versions(f"{name}-value") == [1]
    assert receive(broker.bootstrap, name, AvroDeserializer(client), 2) == [RECORD, RECORD]


def test_json_schema(broker: RunningBroker, client: SchemaRegistryClient, name: str):
    serializer = JSONSerializer(text(JSON_SCHEMA), client)
    send(broker.bootstrap, name, serializer, RECORD)
    read = JSONDeserializer(text(JSON_SCHEMA), schema_registry_client=client)
    assert receive(broker.bootstrap, name, read) == [RECORD]
    without = JSONDeserializer(None, schema_registry_client=client)
    assert receive(broker.bootstrap, name, without) == [RECORD]
    with pytest.raises(SerializationError):
        serializer({"id": "seven", "item": "tea"}, SerializationContext(name, MessageField.VALUE))


def test_json_schema_with_references(broker: RunningBroker, client: SchemaRegistryClient, name: str):
    place = '{"$id": "http://shop/place.json", "type": "object", "properties": {"city": {"type": "string"}}}'
    client.register_schema(f"{name}-place", Schema(place, "JSON"))
    order = '{"title": "Order", "type": "object", "properties": {"at": {"$ref": "http://shop/place.json"}}}'
    schema = Schema(order, "JSON", [SchemaReference("http://shop/place.json", f"{name}-place", 1)])
    send(broker.bootstrap, name, JSONSerializer(schema, client, conf=HEADER), {"at": {"city": "Porto"}})
    with SchemaRegistryClient({"url": client.config()["url"]}) as fresh:
        read = JSONDeserializer(None, schema_registry_client=fresh)
        assert receive(broker.bootstrap, name, read) == [{"at": {"city": "Porto"}}]


def test_protobuf_with_an_import(broker: RunningBroker, client: SchemaRegistryClient, name: str):
    order = Order(id=7, place=Place(city="Porto", height=1.5), lines=[Line(item="tea", count=2)])
    send(broker.bootstrap, name, ProtobufSerializer(Order, client), order)
    kept = client.get_latest_version(f"{name}-value")
    assert [each.name for each in kept.schema.references] == ["conformance/geo.proto"]
    assert client.get_versions("conformance/geo.proto")
    assert "message Order" in kept.schema.schema_str, "what came serialized is kept as text"
    plain = ProtobufDeserializer(Order, {"use.deprecated.format": False})
    assert receive(broker.bootstrap, name, plain) == [order]
    with SchemaRegistryClient({"url": client.config()["url"]}) as fresh:
        looked_up = ProtobufDeserializer(Order, {"use.latest.version": True}, schema_registry_client=fresh)
        assert receive(broker.bootstrap, name, looked_up) == [order]
    (message,) = messages(broker.bootstrap, name, 1)
    assert message.value()[5:7] == b"\x02\x02", "one index: the file's second message"


def test_protobuf_evolves_and_nests(broker: RunningBroker, client: SchemaRegistryClient, name: str):
    send(broker.bootstrap, name, ProtobufSerializer(Order, client), Order(id=1))
    send(broker.bootstrap, name, ProtobufSerializer(NextOrder, client, HEADER), NextOrder(id=2, note="hot"))
    assert client.get_versions(f"{name}-value") == [1, 2]
    read = ProtobufDeserializer(NextOrder, schema_registry_client=client)
    assert receive(broker.bootstrap, name, read, 2) == [NextOrder(id=1), NextOrder(id=2, note="hot")]
    send(broker.bootstrap, f"{name}-line", ProtobufSerializer(Line, client), Line(item="tea"))
    (message,) = messages(broker.bootstrap, f"{name}-line", 1)
    assert message.value()[5:8] == b"\x04\x02\x00", "two indexes: the second message, and the first within it"
    nested = ProtobufDeserializer(Line, schema_registry_client=client)
    assert receive(broker.bootstrap, f"{name}-line", nested) == [Line(item="tea")]


class NotEmpty(RuleExecutor):
    """A rule of the client's: the registry only keeps it."""

    def type(self) -> str:
        return "NOT_EMPTY"

    def transform(self, ctx: RuleContext, message: dict) -> bool:
        return bool(message[ctx.rule.expr])


def test_rules_that_the_client_runs(broker: RunningBroker, client: SchemaRegistryClient, name: str):
    rule = Rule("named", None, RuleKind.CONDITION, RuleMode.WRITE, "NOT_EMPTY", None, None, "item", None, None, False)
    rules = RuleSet(migration_rules=[], domain_rules=[rule])
    client.register_schema(f"{name}-value", Schema(text(AVRO), "AVRO", [], None, rules))
    rule_registry = RuleRegistry()
    rule_registry.register_executor(NotEmpty())
    serializer = AvroSerializer(client, conf=LATEST, rule_registry=rule_registry)
    send(broker.bootstrap, name, serializer, RECORD)
    assert receive(broker.bootstrap, name, AvroDeserializer(client, rule_registry=rule_registry)) == [RECORD]
    with pytest.raises(SerializationError) as caught:
        serializer(RECORD | {"item": ""}, SerializationContext(name, MessageField.VALUE))
    assert isinstance(caught.value.__cause__, RuleConditionError)


def test_a_tombstone_stays_a_tombstone(broker: RunningBroker, client: SchemaRegistryClient, name: str):
    send(broker.bootstrap, name, AvroSerializer(client, text(AVRO)), RECORD)
    send(broker.bootstrap, name, lambda value, _: value, None)
    assert receive(broker.bootstrap, name, AvroDeserializer(client), 2) == [RECORD, None]
