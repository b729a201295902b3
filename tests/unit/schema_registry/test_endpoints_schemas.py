"""`/schemas` over HTTP: ids, GUIDs, types, the list of everything."""

from __future__ import annotations

import json

import pytest

from support.schema_registry import INT, STRING, RegistryClient, error, record_schema

A = record_schema("a:int")
AB = record_schema("a:int", "b:int=0")
FULL = {"Confluent-Accept-Unknown-Properties": "true"}


@pytest.fixture
def registry() -> RegistryClient:
    client = RegistryClient()
    client.register("s", A)
    client.register("t", A)
    client.register("s", AB)
    client.register(":.ctx:s", INT)
    return client


def test_what_an_id_stands_for(registry: RegistryClient) -> None:
    status, answer = registry.get("/schemas/ids/1")
    assert status == 200
    assert list(answer) == ["guid", "schemaType", "schema"]
    assert answer["schema"] == A
    assert registry.get("/schemas/ids/1") == (status, answer)


def test_by_subject_and_context(registry: RegistryClient) -> None:
    answer = registry.get("/schemas/ids/1?subject=t")[1]
    assert (answer["subject"], answer["version"]) == ("t", 1)
    assert registry.get("/schemas/ids/1?subject=:.ctx:")[1]["schema"] == INT
    assert registry.get("/schemas/ids/1?subject=:.ctx:s")[1]["schema"] == INT
    assert registry.get("/schemas/ids/2?subject=:.ctx:s") == error(40403, "Schema 2 not found")
    assert registry.get("/schemas/ids/2?subject=unknown")[1]["schema"] == AB


def test_ids_that_nobody_has(registry: RegistryClient) -> None:
    for path in ("", "/schema", "/subjects", "/versions"):
        assert registry.get(f"/schemas/ids/99{path}") == error(40403, "Schema 99 not found")
    assert registry.get("/schemas/ids/many") == (404, {"error_code": 404, "message": "HTTP 404 Not Found"})
    assert registry.get("/schemas/ids/99999999999")[0] == 404


def test_more_about_an_id(registry: RegistryClient) -> None:
    assert registry.get("/schemas/ids/1?fetchMaxId=true")[1]["maxId"] == 2
    assert registry.get("/schemas/ids/1/schema") == (200, json.loads(A))
    answer = registry.get("/schemas/ids/1", headers=FULL)[1]
    assert (answer["schemaType"], answer["deleted"]) == ("AVRO", False)


def test_who_has_an_id(registry: RegistryClient) -> None:
    assert registry.get("/schemas/ids/1/subjects") == (200, ["s", "t"])
    assert registry.get("/schemas/ids/1/versions") == (
        200,
        [{"subject": "s", "version": 1}, {"subject": "t", "version": 1}],
    )
    registry.delete("/subjects/t")
    assert registry.get("/schemas/ids/1/subjects") == (200, ["s"])
    assert registry.get("/schemas/ids/1/subjects?deleted=true") == (200, ["s", "t"])
    assert registry.get("/schemas/ids/1/versions?deleted=true&offset=1")[1] == [{"subject": "t", "version": 1}]
    assert registry.get("/schemas/ids/1/subjects?subject=:.ctx:") == (200, [":.ctx:s"])


def test_an_id_can_be_read_after_a_soft_delete(registry: RegistryClient) -> None:
    registry.delete("/subjects/s")
    registry.delete("/subjects/t")
    assert registry.get("/schemas/ids/1")[1]["schema"] == A


def test_guids(registry: RegistryClient) -> None:
    registry.register(":.ctx:t", A)
    guid = registry.get("/schemas/ids/1")[1]["guid"]
    assert registry.get(f"/schemas/guids/{guid}") == (200, {"guid": guid, "schemaType": "AVRO", "schema": A})
    assert registry.get(f"/schemas/guids/{guid}/ids") == (
        200,
        [{"context": ".", "id": 1}, {"context": ".ctx", "id": 2}],
    )
    for unknown in ("00000000-0000-0000-0000-000000000000", "nonsense"):
        for path in ("", "/ids"):
            assert registry.get(f"/schemas/guids/{unknown}{path}") == error(40403, f"Schema {unknown} not found")


def test_types(registry: RegistryClient) -> None:
    assert registry.get("/schemas/types") == (200, ["JSON", "PROTOBUF", "AVRO"])


def test_types_and_forms_of_other_kinds(registry: RegistryClient) -> None:
    proto = 'syntax = "proto3";\n\nmessage A {\n  string a = 1;\n}\n'
    schema_id = registry.register("p", proto, schemaType="PROTOBUF")
    answer = registry.get(f"/schemas/ids/{schema_id}")[1]
    assert (answer["schemaType"], answer["schema"]) == ("PROTOBUF", proto)
    assert registry.get(f"/schemas/ids/{schema_id}?format=serialized")[1]["schema"].startswith("Cg")
    schema_id = registry.register("j", '{"type":"object"}', schemaType="JSON")
    assert registry.get(f"/schemas/ids/{schema_id}")[1]["schemaType"] == "JSON"


def _listed(registry: RegistryClient, query: str = "") -> list[tuple[str, int]]:
    status, answer = registry.get(f"/schemas{query}")
    assert status == 200
    return [(each["subject"], each["version"]) for each in answer]


def test_the_list_of_everything(registry: RegistryClient) -> None:
    assert _listed(registry) == [(":.ctx:s", 1), ("s", 1), ("s", 2), ("t", 1)]
    assert _listed(registry, "?latestOnly=true") == [(":.ctx:s", 1), ("s", 2), ("t", 1)]
    assert _listed(registry, "?subjectPrefix=s") == [("s", 1), ("s", 2)]
    assert _listed(registry, "?subjectPrefix=:*:s") == [(":.ctx:s", 1), ("s", 1), ("s", 2)]
    assert _listed(registry, "?offset=1&limit=2") == [("s", 1), ("s", 2)]
    registry.delete("/subjects/s/versions/2")
    assert _listed(registry, "?subjectPrefix=s") == [("s", 1)]
    assert _listed(registry, "?subjectPrefix=s&deleted=true") == [("s", 1), ("s", 2)]


def test_the_list_by_type_of_rule(registry: RegistryClient) -> None:
    rules = {"domainRules": [{"name": "a", "type": "CEL"}]}
    registry.register("ruled", STRING, ruleSet=rules)
    assert _listed(registry, "?ruleType=CEL") == [("ruled", 1)]
    assert _listed(registry, "?ruleType=ENCRYPT") == []


def test_root_and_metadata(registry: RegistryClient) -> None:
    assert registry.get("/") == (200, {})
    assert registry.post("/") == (200, {})
    status, answer = registry.get("/v1/metadata/id")
    assert status == 200
    assert answer["scope"]["clusters"] == {"kafka-cluster": "", "schema-registry-cluster": "schema-registry"}
    assert list(registry.get("/v1/metadata/version")[1]) == ["version", "commitId"]
    assert registry.get("/v1/metadata/deployment")[0] == 200
