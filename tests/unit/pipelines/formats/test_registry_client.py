"""The registry client against the real service, and against addresses where nobody answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from riacho.base.backoff import Backoff
from riacho.pipelines.formats import registry_client as module
from riacho.pipelines.formats.registry_client import RegistryClient, RegistryError, registry_client
from riacho.schemas.parsed import Reference
from riacho.testing import KafkaCluster
from support.http_api import Reply, running_api
from support.ports import free_port
from support.service_process import running_service

INNER = '{"type":"record","name":"Inner","fields":[{"name":"x","type":"int"}]}'
OUTER = '{"type":"record","name":"Outer","fields":[{"name":"i","type":"Inner"}]}'


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    directory: Path = tmp_path_factory.mktemp("registry")
    with KafkaCluster() as cluster, running_service("schema-registry", cluster.bootstrap_servers, directory) as service:
        yield service.url


@pytest.fixture
def client(url: str) -> RegistryClient:
    return RegistryClient({"schema.registry.url": url})


def test_schemas_are_registered_found_and_remembered(client: RegistryClient, monkeypatch: pytest.MonkeyPatch) -> None:
    first = client.registered("inner-value", "AVRO", INNER)
    assert client.latest("inner-value").id == first.id
    assert client.by_id(first.id).text == first.parsed.text
    assert first.prefix == b"\0" + first.id.to_bytes(4, "big")
    calls: list[str] = []
    monkeypatch.setattr(client, "ask", lambda method, path, body=None: calls.append(path))
    assert client.registered("inner-value", "AVRO", INNER) is first
    assert client.by_id(first.id).text == first.parsed.text
    assert calls == []


def test_references_are_resolved(client: RegistryClient, url: str) -> None:
    client.registered("inner-ref", "AVRO", INNER)
    outer = client.registered("outer-ref", "AVRO", OUTER, references=[Reference("Inner", "inner-ref", 1)])
    again = RegistryClient({"schema.registry.url": url}).by_id(outer.id)
    assert '"name":"x"' in again.formatted("resolved")


def test_what_the_registry_refuses_is_told(client: RegistryClient) -> None:
    with pytest.raises(RegistryError, match="answered 404: Schema 4711 not found") as unknown:
        client.by_id(4711)
    assert unknown.value.is_refusal
    with pytest.raises(RegistryError, match="answered 404"):
        client.registered("never-seen", "AVRO", '"int"', register=False)
    client.registered("tight-value", "AVRO", INNER)
    with pytest.raises(RegistryError, match="answered 409: Schema being registered is incompatible") as clash:
        client.registered("tight-value", "AVRO", '"int"')
    assert len(str(clash.value)) < 400


def test_the_next_address_is_asked_when_one_does_not_answer(url: str) -> None:
    dead = f"http://127.0.0.1:{free_port()}"
    found = RegistryClient({"schema.registry.url": f"{dead},{url}"}).registered("two-value", "AVRO", '"int"')
    assert found.parsed.text == '"int"'


def test_nobody_there_is_no_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BACKOFF", Backoff(0, 0))
    with pytest.raises(RegistryError, match="The schema registry cannot be reached") as failure:
        RegistryClient({"schema.registry.url": f"http://127.0.0.1:{free_port()}"}).by_id(1)
    assert not failure.value.is_refusal


@pytest.mark.parametrize(
    ("settings", "user", "told"),
    [
        ({"basic.auth.credentials.source": "USER_INFO", "basic.auth.user.info": "a:b"}, "x:y@", "Basic YTpi"),
        ({"bearer.auth.token": "t"}, "a:b%3A@", "Basic YTpiOg=="),
        ({"bearer.auth.token": "t"}, "", "Bearer t"),
        ({"basic.auth.user.info": "a:b"}, "", None),
        ({}, "", None),
    ],
)
def test_credentials_go_by_their_source(settings: dict[str, str], user: str, told: str | None) -> None:
    with running_api(lambda request: Reply(content={"schema": '"int"'})) as api:
        address = api.url.replace("://", f"://{user}")
        RegistryClient({"schema.registry.url": address, **settings}).by_id(1)
        assert [request.headers.get("authorization") for request in api.requests] == [told]


def test_one_client_for_the_same_settings_and_an_address_is_needed() -> None:
    settings = {"schema.registry.url": "http://127.0.0.1:1"}
    assert registry_client(settings) is registry_client(dict(settings))
    with pytest.raises(RegistryError, match=r"schema\.registry\.url"):
        RegistryClient({})
