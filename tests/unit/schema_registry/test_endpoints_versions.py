"""`/subjects/{subject}/versions` over HTTP: list, get, who refers to it, delete."""

from __future__ import annotations

import json

import pytest

from support.schema_registry import INT, START_MS, STRING, RegistryClient, error, record_schema
from support.web_service import asgi

A = record_schema("a:int")
AB = record_schema("a:int", "b:int=0")
ABC = record_schema("a:int", "b:int=0", "c:int=0")
FULL = {"Confluent-Accept-Unknown-Properties": "true"}
INVALID = (
    "The specified version '{}' is not a valid version id. "
    'Allowed values are between [1, 2^31-1] and the string "latest"'
)


@pytest.fixture
def registry() -> RegistryClient:
    client = RegistryClient()
    for schema in (A, AB, ABC):
        client.register("s", schema)
    return client


def test_lists(registry: RegistryClient) -> None:
    assert registry.get("/subjects/s/versions") == (200, [1, 2, 3])
    registry.delete("/subjects/s/versions/2")
    assert registry.get("/subjects/s/versions") == (200, [1, 3])
    assert registry.get("/subjects/s/versions?deleted=true") == (200, [1, 2, 3])
    assert registry.get("/subjects/s/versions?deletedOnly=true") == (200, [2])
    assert registry.get("/subjects/s/versions?deletedAsNegative=true") == (200, [1, -2, 3])
    assert registry.get("/subjects/s/versions?offset=1&limit=1") == (200, [3])
    assert registry.get("/subjects/t/versions") == error(40401, "Subject 't' not found.")


def test_one_version(registry: RegistryClient) -> None:
    status, answer = registry.get("/subjects/s/versions/2")
    assert status == 200
    assert list(answer) == ["subject", "version", "id", "guid", "schemaType", "schema"]
    assert (answer["subject"], answer["version"], answer["id"], answer["schema"]) == ("s", 2, 2, AB)
    assert registry.get("/subjects/s/versions/latest")[1]["version"] == 3
    assert registry.get("/subjects/s/versions/-1")[1]["version"] == 3


def test_callers_that_bear_unknown_fields_get_more(registry: RegistryClient) -> None:
    answer = registry.get("/subjects/s/versions/1", headers=FULL)[1]
    assert answer["ts"] == START_MS
    assert answer["deleted"] is False


def test_versions_that_are_not_there(registry: RegistryClient) -> None:
    assert registry.get("/subjects/t/versions/1") == error(40401, "Subject 't' not found.")
    assert registry.get("/subjects/s/versions/9") == error(40402, "Version 9 not found.")
    for version in ("0", "-2", "first", "2147483648", "1.5", "%20"):
        shown = {"%20": " "}.get(version, version)
        assert registry.get(f"/subjects/s/versions/{version}") == error(42202, INVALID.format(shown))


def test_a_deleted_version_is_shown_on_request(registry: RegistryClient) -> None:
    assert registry.delete("/subjects/s/versions/3") == (200, 3)
    assert registry.get("/subjects/s/versions/3") == error(40402, "Version 3 not found.")
    assert registry.get("/subjects/s/versions/3?deleted=true")[1]["schema"] == ABC
    assert registry.get("/subjects/s/versions/latest")[1]["version"] == 2


def test_the_bare_schema(registry: RegistryClient) -> None:
    assert registry.get("/subjects/s/versions/1/schema") == (200, json.loads(A))
    assert registry.get("/subjects/s/versions/9/schema") == error(40402, "Version 9 not found.")
    assert registry.get("/subjects/t/versions/1/schema") == error(40401, "Subject 't' not found.")


def test_delete_in_two_steps(registry: RegistryClient) -> None:
    assert registry.delete("/subjects/t/versions/1") == error(40401, "Subject 't' not found.")
    assert registry.delete("/subjects/s/versions/9") == error(40402, "Version 9 not found.")
    assert registry.delete("/subjects/s/versions/x") == error(42202, INVALID.format("x"))
    assert registry.delete("/subjects/s/versions/3?permanent=true") == error(
        40407, "Subject 's' Version 3 was not deleted first before being permanently deleted"
    )
    assert registry.delete("/subjects/s/versions/latest") == (200, 3)
    assert registry.delete("/subjects/s/versions/3") == error(
        40406, "Subject 's' Version 3 was soft deleted.Set permanent=true to delete permanently"
    )
    assert registry.delete("/subjects/s/versions/3?permanent=true") == (200, 3)
    assert registry.delete("/subjects/s/versions/3?permanent=true") == error(40402, "Version 3 not found.")


def test_who_refers_to_it() -> None:
    registry = RegistryClient()
    registry.register("base", record_schema("a:int", name="Base"))
    reference = [{"name": "Base", "subject": "base", "version": 1}]
    first = registry.register("u", record_schema("b:Base"), references=reference)
    second = registry.register("v", record_schema("c:Base", name="S"), references=reference)
    assert registry.get("/subjects/base/versions/1/referencedby") == (200, [first, second])
    assert registry.get("/subjects/base/versions/latest/referencedby?offset=1") == (200, [second])
    registry.delete("/subjects/v")
    assert registry.get("/subjects/base/versions/1/referencedby") == (200, [first])
    assert registry.get("/subjects/base/versions/1/referencedby?deleted=true") == (200, [first, second])
    assert registry.get("/subjects/base/versions/7/referencedby") == error(40402, "Version 7 not found.")


def test_the_forms_of_a_schema() -> None:
    registry = RegistryClient()
    registry.register(":.ctx:base", record_schema("a:int", name="Base"))
    reference = [{"name": "Base", "subject": "base", "version": 1}]
    registry.register(":.ctx:u", record_schema("b:Base"), references=reference)
    plain = registry.get("/subjects/:.ctx:u/versions/1")[1]
    assert plain["references"] == reference
    resolved = registry.get("/subjects/:.ctx:u/versions/1?format=resolved&referenceFormat=qualified")[1]
    assert json.loads(resolved["schema"])["fields"][0]["type"]["name"] == "Base"
    assert resolved["references"] == [{"name": "Base", "subject": ":.ctx:base", "version": 1}]


def test_a_subject_is_found_in_other_contexts(registry: RegistryClient) -> None:
    registry.register(":.ctx:elsewhere", INT)
    assert registry.get("/subjects/elsewhere/versions/1")[1]["subject"] == ":.ctx:elsewhere"
    assert registry.get("/subjects/:.other:elsewhere/versions/1")[0] == 404


def test_a_change_is_seen_at_once(registry: RegistryClient) -> None:
    """Answers are kept as bytes; none of them outlives what it was made from."""
    assert registry.get("/subjects/s/versions/latest")[1]["version"] == 3
    registry.delete("/subjects/s/versions/3")
    assert registry.get("/subjects/s/versions/latest")[1]["version"] == 2
    assert registry.get("/subjects/s/versions/latest")[1]["version"] == 2


@pytest.mark.parametrize("accepted", ["application/vnd.schemaregistry+json", "application/json", None])
def test_media_types(registry: RegistryClient, accepted: str | None) -> None:
    headers = {} if accepted is None else {"accept": accepted}
    got = asgi(registry.app, "GET", "/subjects/s/versions", headers=headers)
    assert got.headers["content-type"] == (accepted or "application/vnd.schemaregistry.v1+json")
    sent = {"content-type": "text/plain"}
    assert registry.call("POST", "/subjects/s/versions", {"schema": STRING}, headers=sent)[0] == 415
