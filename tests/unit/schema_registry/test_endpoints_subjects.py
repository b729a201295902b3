"""`/subjects` over HTTP: lists, look-ups, deletes, and the texts of their errors."""

from __future__ import annotations

import pytest

from support.schema_registry import INT, STRING, RegistryClient, error, record_schema


@pytest.fixture
def registry() -> RegistryClient:
    return RegistryClient()


def test_lists_show_what_is_not_deleted(registry: RegistryClient) -> None:
    for subject in ("b", "a", ":.ctx:c", "abc"):
        registry.register(subject)
    registry.delete("/subjects/b")
    assert registry.get("/subjects") == (200, [":.ctx:c", "a", "abc"])
    assert registry.get("/subjects?deleted=true") == (200, [":.ctx:c", "a", "abc", "b"])
    assert registry.get("/subjects?deletedOnly=true") == (200, ["b"])
    assert registry.get("/subjects?subjectPrefix=a") == (200, ["a", "abc"])
    assert registry.get("/subjects?subjectPrefix=:.ctx:") == (200, [":.ctx:c"])
    assert registry.get("/subjects?subjectPrefix=:*:c") == (200, [":.ctx:c"])
    assert registry.get("/subjects?offset=1&limit=1") == (200, ["a"])
    assert registry.get("/subjects?offset=-3&limit=-1") == (200, [":.ctx:c", "a", "abc"])


def test_a_subject_may_have_any_character(registry: RegistryClient) -> None:
    for raw, subject in (("a%2Fb%3Ac", "a/b:c"), ("%C3%A9t%C3%A9%20%25", "été %")):
        registry.register(raw)
        assert registry.get(f"/subjects/{raw}/versions/1")[1]["subject"] == subject


def test_look_up_answers_subject_version_and_id(registry: RegistryClient) -> None:
    registry.register("s", record_schema("a:int"))
    schema_id = registry.register("s", record_schema("a:int", "b:int=0"))
    spaced = record_schema("a:int", "b:int=0").replace(",", " ,\n ")
    status, answer = registry.post("/subjects/s", {"schema": spaced})
    assert status == 200
    assert (answer["subject"], answer["version"], answer["id"]) == ("s", 2, schema_id)
    assert answer["schema"] == record_schema("a:int", "b:int=0")
    assert answer["schemaType"] == "AVRO"


def test_look_up_of_what_is_not_there(registry: RegistryClient) -> None:
    assert registry.post("/subjects/s", {"schema": STRING}) == error(40401, "Subject 's' not found.")
    registry.register("s", INT)
    assert registry.post("/subjects/s", {"schema": STRING}) == error(40403, "Schema not found")
    status, answer = registry.post("/subjects/s", {"schema": "{"})
    assert (status, answer["error_code"]) == (422, 42201)
    assert answer["message"].startswith("Invalid schema of type AVRO, details: ")
    for empty in ({"schema": ""}, {"schema": " "}, {}):
        assert registry.post("/subjects/s", empty) == error(40403, "Schema not found")
        assert registry.post("/subjects/t", empty) == error(40401, "Subject 't' not found.")


def test_look_up_of_what_is_deleted(registry: RegistryClient) -> None:
    registry.register("s")
    registry.delete("/subjects/s")
    assert registry.post("/subjects/s", {"schema": STRING}) == error(40401, "Subject 's' not found.")
    assert registry.post("/subjects/s?deleted=true", {"schema": STRING})[1]["version"] == 1


def test_look_up_goes_through_contexts(registry: RegistryClient) -> None:
    registry.register(":.ctx:s")
    assert registry.post("/subjects/s", {"schema": STRING})[1]["subject"] == ":.ctx:s"


def test_look_up_normalized(registry: RegistryClient) -> None:
    written = '{"type":"record","name":"R","fields":[{"name":"a","type":"string"}]}'
    other = '{"type":"record","name":"R","fields":[{"name":"a","type":{"type":"string"}}]}'
    registry.post("/subjects/s/versions?normalize=true", {"schema": written})
    assert registry.post("/subjects/s?normalize=true", {"schema": other})[1]["version"] == 1


def test_delete_in_two_steps(registry: RegistryClient) -> None:
    assert registry.delete("/subjects/s") == error(40401, "Subject 's' not found.")
    registry.register("s", record_schema("a:int"))
    registry.register("s", record_schema("a:int", "b:int=0"))
    assert registry.delete("/subjects/s?permanent=true") == error(
        40405, "Subject 's' was not deleted first before being permanently deleted"
    )
    assert registry.delete("/subjects/s") == (200, [1, 2])
    assert registry.delete("/subjects/s") == error(
        40404, "Subject 's' was soft deleted.Set permanent=true to delete permanently"
    )
    assert registry.get("/subjects/s/versions") == error(40401, "Subject 's' not found.")
    assert registry.delete("/subjects/s?permanent=true") == (200, [1, 2])
    assert registry.delete("/subjects/s?permanent=true") == error(40401, "Subject 's' not found.")
    assert registry.get("/schemas/ids/1") == error(40403, "Schema 1 not found")


def test_a_subject_that_is_referred_to_stays(registry: RegistryClient) -> None:
    registry.register("base", record_schema("a:int", name="Base"))
    registry.register("user", record_schema("b:Base"), references=[{"name": "Base", "subject": "base", "version": 1}])
    refused = error(
        42206, "One or more references exist to the schema {magic=1,keytype=SCHEMA,subject=base,version=1}."
    )
    assert registry.delete("/subjects/base") == refused
    assert registry.delete("/subjects/base/versions/1") == refused
    assert registry.delete("/subjects/user") == (200, [1])
    assert registry.delete("/subjects/base") == (200, [1])


def test_deleting_is_refused_where_nothing_is_written(registry: RegistryClient) -> None:
    registry.register("s")
    registry.put("/mode/s", {"mode": "READONLY"})
    refused = error(42205, "Subject s in context  is in read-only mode")
    assert registry.delete("/subjects/s") == refused
    assert registry.delete("/subjects/s/versions/1") == refused


def test_versions_by_their_metadata(registry: RegistryClient) -> None:
    registry.register("s", record_schema("a:int"), metadata={"properties": {"major": "1", "owner": "ana"}})
    registry.register("s", record_schema("a:int", "b:int=0"), metadata={"properties": {"major": "2", "owner": "ana"}})
    assert registry.get("/subjects/s/metadata?key=major&value=1")[1]["version"] == 1
    assert registry.get("/subjects/s/metadata?key=owner&value=ana")[1]["version"] == 2
    assert registry.get("/subjects/s/metadata?key=owner&value=ana&key=major&value=1")[1]["version"] == 1
    assert registry.get("/subjects/s/metadata?key=major&value=3") == error(40403, "Schema not found")
    assert registry.get("/subjects/t/metadata?key=major&value=3") == error(40401, "Subject 't' not found.")


def test_an_alias_is_another_name(registry: RegistryClient) -> None:
    schema_id = registry.register("orders-value")
    registry.put("/config/old-name", {"alias": "orders-value"})
    assert registry.get("/subjects/old-name/versions/latest")[1]["subject"] == "orders-value"
    assert registry.post("/subjects/old-name", {"schema": STRING})[1]["id"] == schema_id
    assert registry.get(f"/schemas/ids/{schema_id}?subject=old-name")[1]["subject"] == "orders-value"
    assert registry.get("/schemas?aliases=true")[1][0]["aliases"] == ["old-name"]
    assert registry.get("/subjects") == (200, ["orders-value"])
