"""Tags within schemas: found, added, removed, brought along."""

from __future__ import annotations

import json

import pytest

from support.schema_registry import RegistryClient, error

USER = json.dumps(
    {
        "type": "record",
        "name": "User",
        "namespace": "n",
        "fields": [
            {"name": "ssn", "type": "string", "confluent:tags": ["PII"]},
            {
                "name": "home",
                "type": ["null", {"type": "record", "name": "Home", "fields": [{"name": "street", "type": "string"}]}],
                "default": None,
            },
        ],
    }
)
PERSON = json.dumps(
    {
        "type": "object",
        "properties": {
            "ssn": {"type": "string", "confluent:tags": ["PII"]},
            "home": {"type": "object", "properties": {"street": {"type": "string"}}},
        },
    }
)


def _tags(path: str, *tags: str, kind: str = "sr_field") -> dict[str, object]:
    return {"schemaEntity": {"entityPath": path, "entityType": kind}, "tags": list(tags)}


@pytest.fixture
def registry() -> RegistryClient:
    client = RegistryClient()
    client.register("user", USER)
    client.register("person", PERSON, schemaType="JSON")
    return client


def test_find(registry: RegistryClient) -> None:
    found = [_tags("n.User.ssn", "PII")]
    assert registry.get("/subjects/user/versions/1?findTags=PII")[1]["schemaTags"] == found
    assert registry.get("/subjects/user/versions/1?findTags=*")[1]["schemaTags"] == found
    assert registry.get("/schemas/ids/1?findTags=OTHER&findTags=PII")[1]["schemaTags"] == found
    assert registry.get("/subjects/user/versions/1?findTags=OTHER")[1]["schemaTags"] == []
    assert registry.get("/schemas/ids/2?findTags=*")[1]["schemaTags"] == [_tags("object.ssn", "PII")]
    assert "schemaTags" not in registry.get("/schemas/ids/1")[1]


def test_a_new_version_with_other_tags(registry: RegistryClient) -> None:
    body = {
        "tagsToAdd": [_tags("n.Home.street", "ADDRESS", "PII"), _tags("n.User", "PERSON", kind="sr_record")],
        "tagsToRemove": [_tags("n.User.ssn", "PII")],
    }
    status, answer = registry.post("/subjects/user/versions/latest/tags", body)
    assert (status, answer["version"]) == (200, 2)
    assert answer["metadata"] == {"properties": {"confluent:version": "2"}}
    assert registry.get("/subjects/user/versions/2?findTags=*")[1]["schemaTags"] == [
        _tags("n.User", "PERSON", kind="sr_record"),
        _tags("n.Home.street", "ADDRESS", "PII"),
    ]


def test_tags_of_json_schemas(registry: RegistryClient) -> None:
    body = {"tagsToAdd": [_tags("object.home.object.street", "ADDRESS")]}
    assert registry.post("/subjects/person/versions/1/tags", body)[0] == 200
    properties = json.loads(registry.get("/subjects/person/versions/2")[1]["schema"])["properties"]
    assert properties["home"]["properties"]["street"]["confluent:tags"] == ["ADDRESS"]


def test_rules_are_merged_and_removed(registry: RegistryClient) -> None:
    rules = {"domainRules": [{"name": "a", "type": "CEL"}, {"name": "b", "type": "CEL"}]}
    registry.register("user", USER, ruleSet=rules)
    merged = {"domainRules": [{"name": "c", "type": "CEL"}]}
    body = {"newVersion": 3, "rulesToMerge": merged, "rulesToRemove": ["a"]}
    status, answer = registry.post("/subjects/user/versions/2/tags", body)
    assert (status, answer["version"]) == (200, 3)
    assert [rule["name"] for rule in answer["ruleSet"]["domainRules"]] == ["b", "c"]


def test_what_cannot_be_tagged(registry: RegistryClient) -> None:
    path = "/subjects/user/versions"
    assert registry.post(f"{path}/9/tags", {}) == error(40402, "Version 9 not found.")
    assert registry.post("/subjects/nobody/versions/1/tags", {}) == error(40401, "Subject 'nobody' not found.")
    assert registry.post(f"{path}/x/tags", {})[1]["error_code"] == 42202
    assert registry.post("/subjects/__EMPTY/versions/1/tags", {})[1]["error_code"] == 42208
    assert registry.post(f"{path}/1/tags", {"tagsToAdd": [_tags("n.User.nothing", "X")]}) == error(
        42201, "No matching path 'n.User.nothing' found in the schema"
    )
    assert registry.post(f"{path}/1/tags", {"newVersion": 7}) == error(
        42201, "Version is not one more than previous version"
    )
    rules = {"domainRules": [{"name": "a"}]}
    assert registry.post(f"{path}/1/tags", {"ruleSet": rules}) == error(42210, "Missing rule type")
    assert registry.post(f"{path}/1/tags", {"rulesToMerge": rules}) == error(42210, "Missing rule type")


def test_tags_with_a_registration(registry: RegistryClient) -> None:
    status, answer = registry.post(
        "/subjects/user/versions", {"schema": USER, "schemaTagsToAdd": [_tags("n.User.home", "ADDRESS")]}
    )
    assert (status, answer["version"]) == (200, 2)
    assert '"confluent:tags":["ADDRESS"]' in answer["schema"]


def test_tags_are_brought_along(registry: RegistryClient) -> None:
    bare = json.loads(USER)
    del bare["fields"][0]["confluent:tags"]
    bare["fields"].append({"name": "more", "type": "int", "default": 0})
    body = {"schema": json.dumps(bare), "propagateSchemaTags": True}
    assert registry.post("/subjects/user/versions", body)[0] == 200
    assert registry.get("/subjects/user/versions/2?findTags=*")[1]["schemaTags"] == [_tags("n.User.ssn", "PII")]


def test_protobuf_tags_are_options() -> None:
    registry = RegistryClient()
    registry.register("p", 'syntax = "proto3"; message A { string a = 1; }', schemaType="PROTOBUF")
    answer = registry.post("/subjects/p/versions/1/tags", {"tagsToAdd": [_tags(".A.a", "PII")]})[1]
    assert answer["error_code"] == 42201
