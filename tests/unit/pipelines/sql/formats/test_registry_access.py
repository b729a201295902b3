"""The registry over HTTP, as formats ask it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from riacho.base.backoff import Backoff
from riacho.pipelines.formats import registry_client as client_module
from riacho.pipelines.formats.registry_client import RegistryError
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.codec import CodecSpec
from riacho.pipelines.sql.formats.codecs import open_codec
from riacho.pipelines.sql.formats.registry_access import RegistryAccess, RegistryRefusal, registry_of
from riacho.pipelines.sql.formats.schema_inference import SchemaQuestion, infer_columns
from riacho.pipelines.sql.formats.schema_registration import register_schema
from riacho.pipelines.sql.types import INTEGER, Field
from support.http_api import Reply, Request, running_api
from support.ports import free_port

SCHEMA = '{"type":"record","name":"R","fields":[{"name":"a","type":"int"}]}'


def answer(request: Request) -> Reply:
    """Knows one subject and takes what is written to it; refuses all else."""
    if request.path == "/subjects/known-value/versions/latest":
        return Reply(content={"subject": "known-value", "id": 3, "version": 1, "schema": SCHEMA})
    if request.path == "/schemas/ids/3":
        return Reply(content={"schema": SCHEMA})
    if request.method == "POST" and request.path.startswith("/subjects/known-value"):
        return Reply(content={"id": 3})
    if request.method == "POST":
        return Reply(409, {"error_code": 409, "message": "Schema being registered is incompatible"})
    return Reply(404, {"error_code": 40401, "message": "Subject not found."})


@pytest.fixture
def settings() -> Iterator[dict[str, str]]:
    with running_api(answer) as api:
        yield {"schema.registry.url": api.url}


@pytest.fixture
def registry(settings: dict[str, str]) -> RegistryAccess:
    found = registry_of(settings)
    assert found is not None
    return found


def test_schemas_are_found_and_registered(registry: RegistryAccess) -> None:
    found = registry.latest("known-value")
    assert found is not None
    assert found.id == 3
    assert registry.by_id(3).text == SCHEMA
    assert registry.register("known-value", "AVRO", SCHEMA).id == 3


def test_what_is_not_there_and_what_is_refused(registry: RegistryAccess) -> None:
    assert registry.latest("other-value") is None
    with pytest.raises(RegistryRefusal, match="404"):
        registry.by_id(9)
    with pytest.raises(RegistryRefusal, match="incompatible"):
        registry.register("other-value", "AVRO", SCHEMA)
    with pytest.raises(KsqlError, match=r"Could not register schema for topic: .*incompatible"):
        register_schema(registry, "other", "AVRO", [Field("A", INTEGER)], False, None, {})
    with pytest.raises(KsqlError, match="does not exist in the Schema Registry"):
        infer_columns(registry, SchemaQuestion("other", "AVRO", False))


def test_a_codec_finds_its_registry_by_its_settings(settings: dict[str, str]) -> None:
    spec = CodecSpec("AVRO", False, (("A", "INTEGER"), ("B", "STRING")), registry=settings, subject="known-value")
    assert open_codec(spec).decode(b"\0\0\0\0\3\x0a") == {"A": 5, "B": None}


def test_a_registry_that_is_gone_is_another_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "_BACKOFF", Backoff(1, 1))
    registry = registry_of({"schema.registry.url": f"http://127.0.0.1:{free_port()}"})
    assert registry is not None
    with pytest.raises(RegistryError, match="cannot be reached"):
        registry.by_id(1)
    with pytest.raises(KsqlError, match="Schema registry fetch for topic value request failed for topic: t"):
        infer_columns(registry, SchemaQuestion("t", "AVRO", False))


def test_without_an_address_there_is_none() -> None:
    assert registry_of({}) is None
