"""Avro, JSON Schema and Protobuf by v2 and v3, with a registry that is asked no more than it must be."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from riacho.rest_proxy.embedded.format import Format
from riacho.testing import KafkaCluster
from support.rest_proxy_registry import RegistryDouble
from support.rest_proxy_service import ProxyService, read

AVRO = '{"type":"record","name":"User","namespace":"n","fields":[{"name":"name","type":["null","string"]}]}'
JSON_SCHEMA = '{"type":"object","title":"Titled","properties":{"name":{"type":"string"}}}'
PROTOBUF = 'syntax = "proto3";\npackage p;\n\nmessage User {\n  string name = 1;\n}\n'
FORMATS: dict[Format, tuple[str, Any, bytes]] = {
    Format.AVRO: (AVRO, {"name": {"string": "x"}}, b"\x02\x02x"),
    Format.JSONSCHEMA: (JSON_SCHEMA, {"name": "x"}, b'{"name":"x"}'),
    Format.PROTOBUF: (PROTOBUF, {"name": "x"}, b"\x00\n\x01x"),
}


def prefix(schema_id: int) -> bytes:
    return b"\0" + schema_id.to_bytes(4, "big")


def shown(proxy: ProxyService, format: Format, payloads: list[Any]) -> list[Any]:
    return [json.loads(text) for text in proxy.thread.run(proxy.proxy.decoders.decode(format, payloads))]


@pytest.mark.parametrize("format", FORMATS)
def test_v2_registers_a_schema_once_and_writes_with_its_id(
    proxy: ProxyService, cluster: KafkaCluster, registry: RegistryDouble, topic: str, format: Format
) -> None:
    schema, value, payload = FORMATS[format]
    body = {"value_schema": schema, "records": [{"value": value}, {"value": None}, {"value": value}]}
    first = proxy.post(f"/topics/{topic}", body, format.media_type)
    assert first.status_code == 200, first.text
    (schema_id,) = registry.subjects[f"{topic}-value"]
    assert first.json()["value_schema_id"] == schema_id
    assert first.json()["key_schema_id"] is None
    registry.calls.clear()
    by_id = {"value_schema_id": schema_id, "records": [{"value": value}]}
    assert proxy.post(f"/topics/{topic}", body, format.media_type).status_code == 200
    assert proxy.post(f"/topics/{topic}", by_id, format.media_type).status_code == 200
    assert len(registry.calls) <= 1, "only the version of the id may be asked for"
    values = [message.value() for message in read(cluster.bootstrap_servers, topic, 7)]
    whole = prefix(schema_id) + payload
    assert values == [whole, None, whole, whole, None, whole, whole]
    assert shown(proxy, format, values[:2]) == [value, None]


def test_v2_keys_have_a_schema_of_their_own(
    proxy: ProxyService, cluster: KafkaCluster, registry: RegistryDouble, topic: str
) -> None:
    body = {"key_schema": '"string"', "value_schema": AVRO, "records": [{"key": "k", "value": {"name": None}}]}
    answer = proxy.post(f"/topics/{topic}", body, Format.AVRO.media_type)
    (key_id,), (value_id,) = registry.subjects[f"{topic}-key"], registry.subjects[f"{topic}-value"]
    assert (answer.json()["key_schema_id"], answer.json()["value_schema_id"]) == (key_id, value_id)
    (found,) = read(cluster.bootstrap_servers, topic, 1)
    assert (found.key(), found.value()) == (prefix(key_id) + b"\x02k", prefix(value_id) + b"\x00")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"value_schema": AVRO, "records": [{"key": 1, "value": None}]}, 422, 42201),
        ({"records": [{"value": 1}]}, 422, 42202),
        ({"value_schema": AVRO, "records": [{"value": {"name": "x"}}, {"value": {"name": 1}}]}, 422, 42203),
        ({"value_schema": AVRO, "records": [{"value": []}]}, 422, 42203),
        ({"value_schema": "{}", "records": [{"value": 1}]}, 422, 42205),
        ({"value_schema": '{"type":"no-such"}', "records": [{"value": 1}]}, 422, 42205),
        ({"value_schema": "[" * 50_000, "records": [{"value": 1}]}, 422, 42205),
        ({"value_schema_id": 4_711, "records": [{"value": 1}]}, 422, 42207),
    ],
)
def test_v2_what_does_not_fit(
    proxy: ProxyService, registry: RegistryDouble, topic: str, body: Any, status: int, code: int
) -> None:
    answer = proxy.post(f"/topics/{topic}", body, Format.AVRO.media_type)
    assert (answer.status_code, answer.json()["error_code"]) == (status, code), answer.text


@pytest.mark.parametrize(
    ("refusal", "status", "code"),
    [
        ((409, 409, "Schema being registered is incompatible with an earlier schema"), 422, 42207),
        ((422, 42201, "Invalid schema"), 422, 42207),
        ((401, 40101, "User cannot be authenticated"), 403, 40301),
        ((403, 40301, "User is denied"), 403, 40301),
        ((500, 50001, "Error in the backend data store"), 408, 40801),
    ],
)
def test_what_the_registry_refuses_is_told(
    proxy: ProxyService,
    registry: RegistryDouble,
    topic: str,
    refusal: tuple[int, int, str],
    status: int,
    code: int,
) -> None:
    registry.refuses = refusal
    body = {"value_schema": AVRO, "records": [{"value": {"name": None}}]}
    answer = proxy.post(f"/topics/{topic}", body, Format.AVRO.media_type)
    assert (answer.status_code, answer.json()["error_code"]) == (status, code)
    assert refusal[2] in answer.json()["message"]


def test_a_registry_that_is_away_is_told(proxy: ProxyService, registry: RegistryDouble, topic: str) -> None:
    registry.is_down = True
    body = {"value_schema": AVRO, "records": [{"value": {"name": None}}]}
    answer = proxy.post(f"/topics/{topic}", body, Format.AVRO.media_type)
    assert (answer.status_code, answer.json()["error_code"]) == (408, 40801)
    (receipt,) = proxy.records(topic, {"value": {"schema_id": 12_345, "data": 1}})
    assert receipt["error_code"] == 40801


def test_v3_by_text_id_version_and_latest(
    proxy: ProxyService, cluster: KafkaCluster, registry: RegistryDouble, topic: str
) -> None:
    data = {"name": {"string": "x"}}
    schema_id = registry.register(f"{topic}-value", AVRO)
    ways: list[dict[str, Any]] = [
        {"type": "AVRO", "schema": AVRO},
        {"schema_id": schema_id},
        {"schema_version": 1},
        {},
        {"subject": f"{topic}-value"},
        {"subject_name_strategy": "TOPIC_NAME", "schema_id": schema_id},
    ]
    receipts = proxy.records(topic, *({"value": {**way, "data": data}} for way in ways))
    wanted = {"type": "AVRO", "size": 8, "subject": f"{topic}-value", "schema_id": schema_id, "schema_version": 1}
    assert [each.get("value", each) for each in receipts] == [wanted] * len(ways)
    values = {message.value() for message in read(cluster.bootstrap_servers, topic, len(ways))}
    assert values == {prefix(schema_id) + b"\x02\x02x"}


@pytest.mark.parametrize(("format", "name"), [(Format.AVRO, "n.User"), (Format.PROTOBUF, "p.User")])
def test_v3_subjects_by_the_records_name(
    proxy: ProxyService, registry: RegistryDouble, topic: str, format: Format, name: str
) -> None:
    schema, value, _ = FORMATS[format]
    given = {"type": format.name, "schema": schema, "data": value}
    receipts = proxy.records(
        topic,
        {"value": {**given, "subject_name_strategy": "RECORD_NAME"}},
        {"value": {**given, "subject_name_strategy": "TOPIC_RECORD_NAME"}},
        {"value": {**given, "subject": "one-of-mine"}},
    )
    assert [each["value"]["subject"] for each in receipts] == [name, f"{topic}-{name}", "one-of-mine"]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ({"type": "AVRO"}, 400),
        ({"type": "AVRO", "schema_id": 1}, 400),
        ({"schema_id": 1, "schema_version": 1}, 400),
        ({"schema_version": 1, "schema": AVRO}, 400),
        ({"schema": AVRO}, 400),
        ({"type": "JSON", "schema": AVRO}, 400),
        ({"schema_version": 1, "subject_name_strategy": "RECORD_NAME"}, 400),
        ({"subject_name_strategy": "BY_LUCK"}, 400),
        ({"type": "AVRO", "schema": "nonsense"}, 42205),
        ({"subject": "there-is-none"}, 42207),
        ({"schema_version": 99}, 42207),
        ({"type": "AVRO", "schema": AVRO, "data": {"name": 1}}, 42203),
    ],
)
def test_v3_what_does_not_fit(
    proxy: ProxyService, registry: RegistryDouble, topic: str, data: dict[str, Any], code: int
) -> None:
    (receipt,) = proxy.records(topic, {"value": {"data": {}, **data}})
    assert receipt["error_code"] == code, receipt


def test_schemas_with_references(proxy: ProxyService, registry: RegistryDouble, topic: str) -> None:
    registry.register("city", '{"type":"record","name":"City","fields":[{"name":"zip","type":"int"}]}')
    references = [{"name": "City", "subject": "city", "version": 1}]
    house = '{"type":"record","name":"House","fields":[{"name":"city","type":"City"}]}'
    schema_id = registry.register(f"{topic}-value", house, references=references)
    (receipt,) = proxy.records(topic, {"value": {"data": {"city": {"zip": 5}}}})
    assert receipt["value"]["schema_id"] == schema_id, receipt
    assert shown(proxy, Format.AVRO, [prefix(schema_id) + b"\x0a"]) == [{"city": {"zip": 5}}]


@pytest.mark.parametrize("payload", [b"", b"\0", b"\1\0\0\0\1x", b"\0\0\0\0"])
def test_what_has_no_schema_id_cannot_be_shown(proxy: ProxyService, payload: bytes) -> None:
    from riacho.web.errors import ApiError

    with pytest.raises(ApiError) as told:
        shown(proxy, Format.AVRO, [payload])
    assert told.value.error_code == 40801


def test_without_a_registry_that_is_told(cluster: KafkaCluster, topic: str) -> None:
    alone = ProxyService(cluster.bootstrap_servers)
    try:
        body = {"value_schema": AVRO, "records": [{"value": {"name": None}}]}
        answer = alone.post(f"/topics/{topic}", body, Format.AVRO.media_type)
        assert (answer.status_code, answer.json()["error_code"]) == (408, 40801)
    finally:
        alone.stop()


def test_the_registry_is_told_who_calls(cluster: KafkaCluster, topic: str) -> None:
    double = RegistryDouble()
    source = "schema.registry.basic.auth.credentials.source"
    properties = {source: "USER_INFO", "schema.registry.basic.auth.user.info": "user:pass"}
    service = ProxyService(cluster.bootstrap_servers, properties, registry=double)
    try:
        body = {"value_schema": AVRO, "records": [{"value": {"name": None}}]}
        assert service.post(f"/topics/{topic}", body, Format.AVRO.media_type).status_code == 200
    finally:
        service.stop()
    assert double.headers["Authorization"] == "Basic " + base64.b64encode(b"user:pass").decode()
