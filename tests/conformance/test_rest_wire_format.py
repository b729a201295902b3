"""One wire format: what the REST proxy writes, confluent-kafka's deserializers read, and the other way round."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka.schema_registry import Schema, SchemaRegistryClient, header_schema_id_serializer
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.schema_registry.json_schema import JSONDeserializer, JSONSerializer
from confluent_kafka.schema_registry.protobuf import ProtobufDeserializer, ProtobufSerializer

from conformance import confluent
from conformance.registry_http import ask, call
from conformance.registry_messages import Line, Order, Place
from conformance.registry_records import receive, send
from conformance.registry_schemas import AVRO, AVRO_NEXT, JSON_SCHEMA, PLACE, PROTOBUF, RECORD, text
from conformance.running_broker import RunningBroker
from conformance.waiting import eventually
from support.service_process import ServiceProcess

V2 = "application/vnd.kafka.{}.v2+json"
WAIT_S = 60.0


@pytest.fixture
def client(registry: ServiceProcess) -> Iterator[SchemaRegistryClient]:
    with SchemaRegistryClient({"url": registry.url}) as made:
        yield made


@pytest.fixture(scope="module")
def cluster_id(rest_proxy: ServiceProcess) -> str:
    found: str = ask(rest_proxy, "GET", "/v3/clusters")["data"][0]["cluster_id"]
    return found


def consume(proxy: ServiceProcess, topic: str, embedded: str, count: int) -> list[dict[str, Any]]:
    """Through a v2 consumer instance, which is deleted in the end."""
    plain = V2.format("").replace("..", ".")
    body = {"format": embedded, "auto.offset.reset": "earliest"}
    made = ask(proxy, "POST", f"/consumers/{topic}-group", body, content=plain)
    path = f"/consumers/{topic}-group/instances/{made['instance_id']}"
    taken: list[dict[str, Any]] = []

    def is_enough() -> bool:
        taken.extend(ask(proxy, "GET", f"{path}/records", accept=V2.format(embedded)))
        return len(taken) >= count

    ask(proxy, "POST", f"{path}/subscription", {"topics": [topic]}, content=plain)
    try:
        eventually(is_enough, timeout_s=WAIT_S)
    finally:
        ask(proxy, "DELETE", path)
    return taken


def produce_v2(proxy: ServiceProcess, topic: str, embedded: str, body: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = ask(proxy, "POST", f"/topics/{topic}", body, content=V2.format(embedded))
    assert [each["error_code"] for each in answer["offsets"]] == [None] * len(body["records"]), answer
    return answer


def produce_v3(proxy: ServiceProcess, cluster_id: str, topic: str, record: dict[str, Any]) -> dict[str, Any]:
    path = f"/v3/clusters/{cluster_id}/topics/{topic}/records"
    receipt: dict[str, Any] = ask(proxy, "POST", path, record, content="application/json")
    assert receipt["error_code"] == 200, receipt
    return receipt


def test_avro_from_the_proxy(
    broker: RunningBroker, rest_proxy: ServiceProcess, client: SchemaRegistryClient, name: str
):
    records = [{"key": 1, "value": RECORD | {"note": {"string": "hot"}}}, {"key": 2, "value": RECORD | {"note": None}}]
    body = {"key_schema": '"long"', "value_schema": text(AVRO_NEXT), "records": records}
    answer = produce_v2(rest_proxy, name, "avro", body)
    again = {"key_schema_id": answer["key_schema_id"], "value_schema_id": answer["value_schema_id"], "records": records}
    produce_v2(rest_proxy, name, "avro", again)
    wanted = [RECORD | {"note": "hot"}, RECORD | {"note": None}] * 2
    assert receive(broker.bootstrap, name, AvroDeserializer(client), 4) == wanted
    assert receive(broker.bootstrap, name, AvroDeserializer(client), 4, is_key=True) == [1, 2] * 2
    assert client.get_latest_version(f"{name}-value").schema_id == answer["value_schema_id"]


def test_json_schema_from_the_proxy(
    broker: RunningBroker, rest_proxy: ServiceProcess, client: SchemaRegistryClient, name: str
):
    produce_v2(rest_proxy, name, "jsonschema", {"value_schema": text(JSON_SCHEMA), "records": [{"value": RECORD}]})
    read = JSONDeserializer(text(JSON_SCHEMA), schema_registry_client=client)
    assert receive(broker.bootstrap, name, read) == [RECORD]


def test_protobuf_from_the_proxy(
    broker: RunningBroker, rest_proxy: ServiceProcess, client: SchemaRegistryClient, name: str
):
    record = {"city": "Porto", "height": 1.5}
    produce_v2(rest_proxy, name, "protobuf", {"value_schema": PLACE, "records": [{"value": record}]})
    read = ProtobufDeserializer(Place, schema_registry_client=client)
    assert receive(broker.bootstrap, name, read) == [Place(**record)]


@pytest.mark.parametrize("choice", ["schema", "schema_id", "schema_version", "subject", "latest"])
def test_avro_from_the_proxys_v3(
    broker: RunningBroker,
    rest_proxy: ServiceProcess,
    client: SchemaRegistryClient,
    cluster_id: str,
    name: str,
    choice: str,
):
    subject = f"{name}-other" if choice == "subject" else f"{name}-value"
    schema_id = client.register_schema(subject, Schema(text(AVRO)))
    value = {
        "schema": {"type": "AVRO", "schema": text(AVRO)},
        "schema_id": {"schema_id": schema_id},
        "schema_version": {"schema_version": 1},
        "subject": {"subject": subject, "schema_version": 1},
        "latest": {},
    }[choice]
    receipt = produce_v3(rest_proxy, cluster_id, name, {"value": value | {"data": RECORD}})
    assert receipt["value"]["schema_id"] == schema_id
    assert receive(broker.bootstrap, name, AvroDeserializer(client)) == [RECORD]


def test_the_other_kinds_from_the_proxys_v3(
    broker: RunningBroker, rest_proxy: ServiceProcess, client: SchemaRegistryClient, cluster_id: str, name: str
):
    value = {"type": "JSONSCHEMA", "schema": text(JSON_SCHEMA), "data": RECORD}
    assert produce_v3(rest_proxy, cluster_id, f"{name}-j", {"value": value})["value"]["type"] == "JSONSCHEMA"
    read = JSONDeserializer(None, schema_registry_client=client)
    assert receive(broker.bootstrap, f"{name}-j", read) == [RECORD]
    client.register_schema(f"{name}-p-value", Schema(PLACE, "PROTOBUF"))
    client.clear_caches()  # its deserializer would take the text that was sent for the serialized form
    latest = {"data": {"city": "Porto", "height": 1.5}}
    assert produce_v3(rest_proxy, cluster_id, f"{name}-p", {"value": latest})["value"]["type"] == "PROTOBUF"
    read_place = ProtobufDeserializer(Place, schema_registry_client=client)
    assert receive(broker.bootstrap, f"{name}-p", read_place) == [Place(city="Porto", height=1.5)]


def test_avro_to_the_proxy(
    broker: RunningBroker, rest_proxy: ServiceProcess, client: SchemaRegistryClient, cluster_id: str, name: str
):
    confluent.create_topic(broker.bootstrap, name)
    send(broker.bootstrap, name, AvroSerializer(client, text(AVRO)), RECORD)
    send(broker.bootstrap, name, AvroSerializer(client, text(AVRO_NEXT)), RECORD | {"note": "hot"})
    wanted = [RECORD, RECORD | {"note": {"string": "hot"}}]
    assert [each["value"] for each in consume(rest_proxy, name, "avro", 2)] == wanted
    assert [each["value"] for each in stream(rest_proxy, cluster_id, name, "AVRO")] == [
        {"type": "AVRO", "data": data} for data in wanted
    ]


def test_json_schema_to_the_proxy(
    broker: RunningBroker, rest_proxy: ServiceProcess, client: SchemaRegistryClient, cluster_id: str, name: str
):
    confluent.create_topic(broker.bootstrap, name)
    send(broker.bootstrap, name, JSONSerializer(text(JSON_SCHEMA), client), RECORD)
    assert [each["value"] for each in consume(rest_proxy, name, "jsonschema", 1)] == [RECORD]
    (record,) = stream(rest_proxy, cluster_id, name, "JSONSCHEMA")
    assert record["value"] == {"type": "JSONSCHEMA", "data": RECORD}


def test_protobuf_to_the_proxy(
    broker: RunningBroker, rest_proxy: ServiceProcess, client: SchemaRegistryClient, cluster_id: str, name: str
):
    confluent.create_topic(broker.bootstrap, name)
    order = Order(id=7, place=Place(city="Porto", height=1.5), lines=[Line(item="tea", count=2)])
    send(broker.bootstrap, name, ProtobufSerializer(Order, client), order)
    send(broker.bootstrap, name, ProtobufSerializer(Line, client), Line(item="nested"))
    first, second = (each["value"] for each in consume(rest_proxy, name, "protobuf", 2))
    assert first == {"id": "7", "place": {"city": "Porto", "height": 1.5}, "lines": [{"item": "tea", "count": 2}]}
    assert second["item"] == "nested"
    assert [each["value"]["type"] for each in stream(rest_proxy, cluster_id, name, "PROTOBUF")] == ["PROTOBUF"] * 2


def test_records_that_the_proxy_cannot_read(broker: RunningBroker, rest_proxy: ServiceProcess, name: str):
    confluent.create_topic(broker.bootstrap, name)
    confluent.produce(broker.bootstrap, name, [{"value": b"\x00\x7f\xff\xff\xff\x02"}])
    plain = V2.format("").replace("..", ".")
    body = {"name": "r", "format": "avro", "auto.offset.reset": "earliest"}
    ask(rest_proxy, "POST", f"/consumers/{name}", body, content=plain)
    path = f"/consumers/{name}/instances/r"
    ask(rest_proxy, "POST", f"{path}/subscription", {"topics": [name]}, content=plain)

    def refusal() -> tuple[int, bytes] | None:
        status, answer = call(rest_proxy, "GET", f"{path}/records", accept=V2.format("avro"))
        return (status, answer) if (status, answer) != (200, b"[]") else None

    status, answer = eventually(refusal, timeout_s=WAIT_S)
    ask(rest_proxy, "DELETE", path)
    assert (status, json.loads(answer)["error_code"]) == (408, 40801)


def test_a_time_in_a_topic_that_is_not_there(rest_proxy: ServiceProcess, name: str):
    plain = V2.format("").replace("..", ".")
    ask(rest_proxy, "POST", f"/consumers/{name}", {"name": "r"}, content=plain)
    path = f"/consumers/{name}/instances/r"
    body = {"timestamps": [{"topic": name, "partition": 0, "timestamp": 0}]}
    status, answer = call(rest_proxy, "POST", f"{path}/positions", body, content=plain)
    ask(rest_proxy, "DELETE", path)
    assert status == 404, answer


def test_what_does_not_fit_is_refused(rest_proxy: ServiceProcess, name: str):
    def refused(embedded: str, body: dict[str, Any]) -> tuple[int, int]:
        status, answer = call(rest_proxy, "POST", f"/topics/{name}-{embedded}", body, content=V2.format(embedded))
        return status, json.loads(answer)["error_code"]

    value = {"records": [{"value": RECORD | {"id": "seven"}}]}
    assert refused("avro", value) == (422, 42202)
    assert refused("avro", value | {"value_schema": "{"}) == (422, 42205)
    assert refused("avro", {"value_schema": text(AVRO), "records": [{"key": 1, "value": RECORD}]}) == (422, 42201)
    for embedded, schema in (("avro", text(AVRO)), ("jsonschema", text(JSON_SCHEMA)), ("protobuf", PROTOBUF)):
        status, code = refused(embedded, value | {"value_schema": schema})
        assert (status, code) == (422, 42203), embedded


def test_a_guid_in_a_header_is_no_riddle(
    broker: RunningBroker, rest_proxy: ServiceProcess, client: SchemaRegistryClient, cluster_id: str, name: str
):
    """Nothing in the value tells of a schema: the stream gives it as what it is, and does not break off."""
    confluent.create_topic(broker.bootstrap, name)
    conf = {"schema.id.serializer": header_schema_id_serializer}
    send(broker.bootstrap, name, AvroSerializer(client, text(AVRO), conf=conf), RECORD)
    (record,) = stream(rest_proxy, cluster_id, name, "AUTO")
    assert record["headers"][0]["name"] == "__value_schema_id"
    assert "error_code" not in record


def stream(proxy: ServiceProcess, cluster_id: str, topic: str, kind: str) -> list[dict[str, Any]]:
    """v3: every record from the beginning to the end of the topic."""
    path = f"/v3/clusters/{cluster_id}/topics/{topic}/records?format={kind}&timeout_ms=60000"
    _, body = call(proxy, "GET", path, accept="application/x-ndjson")
    return [json.loads(line) for line in body.splitlines() if line.strip()]
