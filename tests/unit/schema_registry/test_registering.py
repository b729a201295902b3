"""Registering over HTTP: ids, versions, compatibility, contracts."""

from __future__ import annotations

import json

import pytest

from riacho.schema_registry.config import defaults_of, load_registry_settings
from riacho.schema_registry.scopes import Defaults
from support.schema_registry import INT, STRING, RegistryClient, error, record_schema

A = record_schema("a:int")
AB = record_schema("a:int", "b:int=0")
RULES = {"domainRules": [{"name": "check", "kind": "CONDITION", "type": "CEL", "mode": "WRITE", "expr": "true"}]}


@pytest.fixture
def registry() -> RegistryClient:
    return RegistryClient()


def test_the_answer_tells_what_was_registered(registry: RegistryClient) -> None:
    status, answer = registry.post("/subjects/s/versions", {"schema": A})
    assert status == 200
    assert list(answer) == ["id", "version", "guid", "schemaType"]
    assert (answer["id"], answer["version"]) == (1, 1)
    assert registry.get(f"/schemas/guids/{answer['guid']}")[1]["schema"] == A


def test_the_answer_tells_what_was_changed(registry: RegistryClient) -> None:
    registry.put("/config/s", {"defaultMetadata": {"properties": {"owner": "ana"}}})
    answer = registry.post("/subjects/s/versions", {"schema": A})[1]
    assert list(answer) == ["id", "version", "guid", "schemaType", "metadata", "schema"]
    answer = registry.post("/subjects/t/versions?format=resolved", {"schema": A})[1]
    assert answer["schema"] == A


def test_registering_twice_changes_nothing(registry: RegistryClient) -> None:
    assert registry.register("s", A) == 1
    written = len(registry.replicated_log.log)
    assert registry.register("s", A.replace(",", ", ")) == 1
    assert len(registry.replicated_log.log) == written


def test_the_same_content_has_the_same_id_in_its_context(registry: RegistryClient) -> None:
    assert registry.register("s", A) == registry.register("t", A) == 1
    assert registry.register("u", AB) == 2
    assert registry.register(":.ctx:s", AB) == 1
    assert registry.register(":.ctx:t", A) == 2


def test_content_is_more_than_text(registry: RegistryClient) -> None:
    ids = [
        registry.register("s", A),
        registry.register("t", A, metadata={"properties": {"owner": "ana"}}),
        registry.register("u", A, ruleSet=RULES),
        registry.register("v", '{"type":"string"}', schemaType="JSON"),
        registry.register("w", '{"type":"string"}'),
    ]
    assert len(set(ids)) == 5


def test_versions_count_deleted_ones(registry: RegistryClient) -> None:
    registry.register("s", A)
    registry.register("s", AB)
    registry.delete("/subjects/s/versions/2")
    assert registry.register("s", record_schema("a:int", "c:int=0")) == 3
    assert registry.get("/subjects/s/versions") == (200, [1, 3])


def test_what_was_deleted_comes_back_with_its_id_and_a_new_version(registry: RegistryClient) -> None:
    first = registry.register("s", A)
    registry.register("s", AB)
    registry.delete("/subjects/s")
    assert registry.register("s", A) == first
    assert registry.get("/subjects/s/versions?deleted=true") == (200, [2, 3])


def test_ids_are_not_given_twice_after_deleting_for_good(registry: RegistryClient) -> None:
    registry.register("s", A)
    registry.register("s", AB)
    for permanent in ("", "?permanent=true"):
        registry.delete(f"/subjects/s{permanent}")
    assert registry.register("t", INT) == 3
    assert '{"keytype":"NOOP","magic":1}' in registry.replicated_log.written_keys()


def test_incompatible(registry: RegistryClient) -> None:
    registry.register("s", A)
    details = (
        "[{errorType:'READER_FIELD_MISSING_DEFAULT_VALUE', description:'The field 'b' at path '/fields/1' in the new "
        "schema has no default value and is missing in the old schema', additionalInfo:'b'}, {oldSchemaVersion: 1}, "
        f"{{oldSchema: '{A}'}}, {{validateFields: 'false', compatibility: 'BACKWARD'}}]"
    )
    assert registry.post("/subjects/s/versions", {"schema": record_schema("a:int", "b:int")}) == error(
        409,
        f'Schema being registered is incompatible with an earlier schema for subject "s", details: {details}',
    )
    assert registry.post("/subjects/s/versions?force=true", {"schema": record_schema("a:int", "b:int")})[0] == 200


@pytest.mark.parametrize("code", ["409", "40901"])
def test_the_code_of_what_is_incompatible_is_a_setting(code: str) -> None:
    settings = load_registry_settings({"schema.incompatible.error.code": code})
    registry = RegistryClient(defaults_of(settings))
    registry.register("s", INT)
    status, answer = registry.post("/subjects/s/versions", {"schema": STRING})
    assert (status, answer["error_code"]) == (409, int(code))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"schema": ""}, "Empty schema"),
        ({}, "Empty schema"),
        ({"schema": STRING, "schemaType": "XML"}, "Invalid schema type XML"),
        ({"schema": STRING, "schemaType": "avro"}, "Invalid schema type avro"),
        ({"schema": STRING, "schemaType": " AVRO"}, "Invalid schema type  AVRO"),
        (
            {"schema": STRING, "references": [{"name": "x"}]},
            "Invalid reference: {name='x', subject='null', version=null}",
        ),
        (
            {"schema": STRING, "references": [{"name": "x", "subject": "x", "version": 4}]},
            'Invalid schema of type AVRO, details: No schema reference found for subject "x" and version 4',
        ),
        ({"schema": STRING, "version": 3}, "Version is not one more than previous version"),
    ],
)
def test_invalid(registry: RegistryClient, body: dict[str, object], message: str) -> None:
    assert registry.post("/subjects/s/versions", body) == error(42201, message)


@pytest.mark.parametrize("text", ["{", '{"type":"nothing"}', '{"type":"record"}', "int"])
def test_texts_that_are_no_schema(registry: RegistryClient, text: str) -> None:
    status, answer = registry.post("/subjects/s/versions", {"schema": text})
    assert (status, answer["error_code"]) == (422, 42201)
    assert answer["message"].startswith("Invalid schema of type AVRO, details: ")


@pytest.mark.parametrize("subject", ["__GLOBAL", "__EMPTY", ":.__GLOBAL:s", "a%09b"])
def test_invalid_subjects(registry: RegistryClient, subject: str) -> None:
    shown = subject.replace("%09", "\t")
    assert registry.post(f"/subjects/{subject}/versions", {"schema": STRING}) == error(
        42208, f"The specified subject '{shown}' is not a valid."
    )


def test_bodies_that_are_none(registry: RegistryClient) -> None:
    assert registry.post("/subjects/s/versions", b"{")[0] == 400
    assert registry.post("/subjects/s/versions", {"schema": {}})[0] == 422
    assert registry.post("/subjects/s/versions", {"schema": STRING, "id": 1 << 31})[0] == 422


def test_rules_are_checked(registry: RegistryClient) -> None:
    rules = {"domainRules": [{"name": "a", "type": "CEL"}, {"name": "a", "type": "CEL"}]}
    assert registry.post("/subjects/s/versions", {"schema": STRING, "ruleSet": rules}) == error(
        42210, "Found rule with duplicate name 'a'"
    )


def test_contracts_are_kept_and_inherited(registry: RegistryClient) -> None:
    registry.register("s", A, metadata={"properties": {"owner": "ana"}, "sensitive": ["owner"]}, ruleSet=RULES)
    registry.register("s", AB)
    answer = registry.get("/subjects/s/versions/2")[1]
    assert answer["metadata"] == {"properties": {"owner": "ana"}, "sensitive": ["owner"]}
    assert answer["ruleSet"]["domainRules"][0] == {**RULES["domainRules"][0], "disabled": False}


def test_a_request_without_a_schema_means_the_one_before(registry: RegistryClient) -> None:
    registry.register("s", A)
    status, answer = registry.post("/subjects/s/versions", {"metadata": {"properties": {"owner": "bob"}}})
    assert (status, answer["version"], answer["schema"]) == (200, 2, A)


def test_defaults_lie_under_and_overrides_over_what_is_sent(registry: RegistryClient) -> None:
    registry.put(
        "/config/s",
        {
            "defaultMetadata": {"properties": {"owner": "default", "team": "t"}},
            "overrideMetadata": {"properties": {"region": "eu"}},
            "defaultRuleSet": RULES,
        },
    )
    registry.register("s", A, metadata={"properties": {"owner": "ana", "region": "us"}})
    answer = registry.get("/subjects/s/versions/1")[1]
    assert answer["metadata"]["properties"] == {"owner": "ana", "region": "eu", "team": "t"}
    assert answer["ruleSet"]["domainRules"][0]["name"] == "check"


def test_a_version_that_is_asked_for_is_told_in_the_metadata(registry: RegistryClient) -> None:
    registry.register("s", A)
    status, answer = registry.post("/subjects/s/versions", {"schema": AB, "version": 2})
    assert (status, answer["version"]) == (200, 2)
    assert answer["metadata"] == {"properties": {"confluent:version": "2"}}
    assert registry.post("/subjects/s", {"schema": AB})[1]["version"] == 2
    assert registry.register("s", AB) == answer["id"]


def test_latest_references_become_numbers(registry: RegistryClient) -> None:
    registry.register("base", record_schema("a:int", name="Base"))
    reference = {"name": "Base", "subject": "base", "version": -1}
    registry.register("u", record_schema("b:Base"), references=[reference])
    assert registry.get("/subjects/u/versions/1")[1]["references"] == [{**reference, "version": 1}]


def test_a_schema_with_its_references_in_place_is_known(registry: RegistryClient) -> None:
    registry.register("base", record_schema("a:int", name="Base"))
    reference = {"name": "Base", "subject": "base", "version": 1}
    schema_id = registry.register("u", record_schema("b:Base"), references=[reference])
    inlined = registry.get("/subjects/u/versions/1?format=resolved")[1]["schema"]
    assert registry.register("u", inlined) == schema_id
    assert registry.get("/subjects/u/versions") == (200, [1])


def test_normalizing_by_query_by_config_and_by_default() -> None:
    other = '{"type":"record","name":"R","fields":[{"name":"a","type":{"type":"string"}}]}'
    for registry, query in (
        (RegistryClient(), "?normalize=true"),
        (RegistryClient(Defaults(normalize=True)), ""),
        (RegistryClient(), ""),
    ):
        if not query and not registry.registry.defaults.normalize:
            registry.put("/config/s", {"normalize": True})
        assert registry.post(f"/subjects/s/versions{query}", {"schema": other})[0] == 200
        answer = registry.get("/subjects/s/versions/1")[1]
        assert json.loads(answer["schema"])["fields"] == [{"name": "a", "type": "string"}]


def test_modes_that_refuse(registry: RegistryClient) -> None:
    registry.register("known", A)
    registry.put("/mode/:.ro:", {"mode": "READONLY"})
    registry.put("/mode/:.im:", {"mode": "IMPORT"})
    registry.put("/mode/:.fw:", {"mode": "FORWARD"})
    assert registry.post("/subjects/:.ro:s/versions", {"schema": A}) == error(
        42205, "Subject :.ro:s in context :.ro: is in read-only mode"
    )
    for context in (":.im:", ":.fw:"):
        assert registry.post(f"/subjects/{context}s/versions", {"schema": A}) == error(
            42205, f"Subject {context}s in context {context} is not in read-write mode"
        )
    assert registry.post("/subjects/s/versions", {"schema": A, "id": 9}) == error(
        42205, "Subject s in context  is not in import mode"
    )


def test_what_is_registered_is_answered_even_when_nothing_is_written(registry: RegistryClient) -> None:
    schema_id = registry.register("s", A)
    registry.put("/mode", {"mode": "READONLY"})
    assert registry.register("s", A) == schema_id


def test_import_brings_ids_and_versions(registry: RegistryClient) -> None:
    registry.put("/mode/:.im:", {"mode": "IMPORT"})
    assert registry.register(":.im:s", A, id=40, version=7) == 40
    assert registry.register(":.im:s", INT, id=12, version=3) == 12
    assert registry.get("/subjects/:.im:s/versions") == (200, [3, 7])
    assert registry.post("/subjects/:.im:t/versions", {"schema": STRING, "id": 40}) == error(
        42205, "Overwrite new schema with id 40 in context :.im: is not permitted."
    )
    registry.put("/mode/:.im:", {"mode": "READWRITE"})
    assert registry.register(":.im:u", STRING) == 41


def test_an_import_does_not_write_over_what_others_refer_to(registry: RegistryClient) -> None:
    inner, outer = record_schema("a:int", name="Inner"), record_schema("b:Inner", name="Outer")
    registry.register("in", inner)
    registry.register("out", outer, references=[{"name": "Inner", "subject": "in", "version": 1}])
    registry.put("/mode/in?force=true", {"mode": "IMPORT"})
    refused = registry.post("/subjects/in/versions", {"schema": STRING, "id": 50, "version": 1})
    assert refused[1]["error_code"] == 42206
    assert registry.register("in", inner, id=1, version=1) == 1


def test_reserved_fields() -> None:
    registry = RegistryClient(Defaults(validate_fields=True))
    registry.register("s", A, metadata={"properties": {"confluent:reserved": "gone"}})
    status, answer = registry.post(
        "/subjects/s/versions",
        {"schema": record_schema("a:int", "gone:int=0"), "metadata": {"properties": {"confluent:reserved": "gone"}}},
    )
    assert (status, answer["error_code"]) == (409, 409)
    assert (
        "[The new schema has field that conflicts with the reserved field gone., {validateFields: 'true'"
        in (answer["message"])
    )
    status, answer = registry.post("/subjects/s/versions", {"schema": AB, "metadata": {"properties": {"x": "y"}}})
    removed = "reserved field gone removed from its metadata which is present in the old schema's metadata."
    assert f"[The new schema has {removed}, {{validateFields: 'true'" in answer["message"]


def test_reserved_fields_of_protobuf_are_those_of_the_first_message() -> None:
    registry = RegistryClient(Defaults(validate_fields=True))
    reserved = {"properties": {"confluent:reserved": "gone"}}
    inner = 'syntax = "proto3"; message M { int32 a = 1; message N { int32 gone = 1; } } message O { int32 gone = 1; }'
    registry.register("inner", inner, schemaType="PROTOBUF", metadata=reserved)
    own = 'syntax = "proto3"; message M { oneof choice { int32 gone = 1; } }'
    body = {"schema": own, "schemaType": "PROTOBUF", "metadata": reserved}
    assert registry.post("/subjects/own/versions", body)[1]["error_code"] == 409


WRONG_DEFAULT = record_schema('a:int="x"')


def test_what_was_taken_without_a_check_is_checked_where_checks_hold(registry: RegistryClient) -> None:
    """The parsed form is remembered by its text, for all subjects; that it was let pass once is not."""
    refused = error(42201, 'Invalid schema of type AVRO, details: Invalid default for field a: "x" not a int')
    registry.put("/config/lax", {"validateNewSchemas": False})
    registry.put("/mode/:.im:", {"mode": "IMPORT"})
    body = {"schema": WRONG_DEFAULT}
    assert registry.post("/compatibility/subjects/lax/versions", body) == (200, {"is_compatible": True})
    assert registry.register("lax", WRONG_DEFAULT) == 1
    assert registry.register(":.im:s", WRONG_DEFAULT, id=7, version=1) == 7
    assert registry.post("/subjects/lax", body)[1]["version"] == 1
    for more in ("", "?normalize=true"):
        assert registry.post(f"/subjects/s/versions{more}", body) == refused
        assert registry.post(f"/compatibility/subjects/s/versions{more}", body) == refused
    registry.put("/config/lax", {"validateNewSchemas": True})
    assert registry.post("/compatibility/subjects/lax/versions", body) == refused
    # It is there: to register it once more is to be told so, or whoever wrote with it could not write any more.
    assert registry.register("lax", WRONG_DEFAULT) == 1
