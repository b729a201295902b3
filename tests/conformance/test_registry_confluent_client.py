"""confluent-kafka's SchemaRegistryClient: every call it has, against our registry."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from confluent_kafka.schema_registry import (
    ConfigCompatibilityLevel,
    Metadata,
    MetadataProperties,
    MetadataTags,
    Rule,
    RuleKind,
    RuleMode,
    RuleParams,
    RuleSet,
    Schema,
    SchemaReference,
    SchemaRegistryClient,
    ServerConfig,
)
from confluent_kafka.schema_registry.error import SchemaRegistryError

from conformance.registry_schemas import AVRO, AVRO_BROKEN, AVRO_NEXT, JSON_SCHEMA, PROTOBUF, text
from support.service_process import ServiceProcess

FIRST, NEXT, BROKEN = Schema(text(AVRO)), Schema(text(AVRO_NEXT)), Schema(text(AVRO_BROKEN))
RULES = RuleSet(
    migration_rules=[
        Rule("rename", "a doc", RuleKind.TRANSFORM, RuleMode.UPGRADE, "JSONATA", None, None, "$", None, None, False)
    ],
    domain_rules=[
        Rule(
            "positive",
            None,
            RuleKind.CONDITION,
            RuleMode.WRITE,
            "CEL",
            ["PII"],
            RuleParams({"a": "b"}),
            "message.id > 0",
            "NONE",
            "DLQ",
            False,
        )
    ],
)
METADATA = Metadata(MetadataTags({"shop.Order.id": ["PII"]}), MetadataProperties({"owner": "ann", "v": "1"}), ["owner"])


@pytest.fixture
def client(registry: ServiceProcess) -> Iterator[SchemaRegistryClient]:
    with SchemaRegistryClient({"url": registry.url}) as made:
        yield made


def refused(call, *arguments, **named) -> tuple[int, int]:
    with pytest.raises(SchemaRegistryError) as caught:
        call(*arguments, **named)
    return caught.value.http_status_code, caught.value.error_code


def test_a_schema_is_registered_once_and_found_every_way(client: SchemaRegistryClient, name: str):
    registered = client.register_schema_full_response(name, FIRST)
    schema_id = client.register_schema(name, Schema(text(AVRO).replace(": ", " : ")))
    assert registered.schema_id == schema_id
    client.clear_caches()
    assert client.get_schema(schema_id).schema_str == client.get_schema(schema_id, name).schema_str
    client.clear_caches()  # the client keeps what it got by id, which has no id in it, as the version
    version = client.get_version(name, 1)
    assert (version.subject, version.version, version.schema_id) == (name, 1, schema_id)
    assert client.get_version(name, "latest") == version == client.get_latest_version(name)
    assert client.lookup_schema(name, FIRST).version == 1
    client.clear_caches()  # the lookup left the text of its question there
    assert client.get_schema_by_guid(version.guid) == version.schema
    assert name in client.get_subjects()
    assert client.get_subjects(subject_prefix=name[:-4]) == [name]
    assert client.get_versions(name) == [1]
    assert (name, 1) in {(each.subject, each.version) for each in client.get_schema_versions(schema_id)}
    assert name in client.get_subjects_by_schema_id(schema_id)


def test_the_same_schema_has_the_same_id_in_every_subject(client: SchemaRegistryClient, name: str):
    one, other = client.register_schema(f"{name}/a b", FIRST), client.register_schema(f"{name}%2F:é", FIRST)
    assert one == other
    found = {each.subject for each in client.get_schema_versions(one)}
    assert {f"{name}/a b", f"{name}%2F:é"} <= found
    assert client.get_versions(f"{name}/a b") == client.get_versions(f"{name}%2F:é") == [1]


def test_what_is_not_there_has_its_own_code(client: SchemaRegistryClient, name: str):
    assert refused(client.get_versions, name) == (404, 40401)
    assert refused(client.get_latest_version, name) == (404, 40401)
    assert refused(client.get_schema, 2_000_000_000) == (404, 40403)
    assert refused(client.get_schema_by_guid, "00000000-0000-0000-0000-000000000000") == (404, 40403)
    assert refused(client.lookup_schema, name, FIRST) == (404, 40401)
    client.register_schema(name, FIRST)
    assert refused(client.lookup_schema, name, NEXT) == (404, 40403)
    assert refused(client.get_version, name, 9) == (404, 40402)
    assert refused(client.get_version, name, 0) == (422, 42202)
    assert refused(client.register_schema, name, Schema('{"type": "nonsense"}')) == (422, 42201)
    assert refused(client.register_schema, name, Schema("message", "PROTOBUF")) == (422, 42201)


def test_every_type_of_schema(client: SchemaRegistryClient, name: str):
    assert set(client.get_schema_types()) == {"AVRO", "JSON", "PROTOBUF"}
    for kind, schema in (("AVRO", text(AVRO)), ("JSON", text(JSON_SCHEMA)), ("PROTOBUF", PROTOBUF)):
        schema_id = client.register_schema(f"{name}-{kind}", Schema(schema, kind))
        client.clear_caches()
        assert client.get_schema(schema_id).schema_type == kind
        assert client.get_latest_version(f"{name}-{kind}").schema.schema_type == kind
        assert client.lookup_schema(f"{name}-{kind}", Schema(schema, kind)).schema_id == schema_id


def test_versions_are_deleted_softly_then_for_good(client: SchemaRegistryClient, name: str):
    client.register_schema(name, FIRST)
    second_id = client.register_schema(name, NEXT)
    assert refused(client.delete_version, name, 1, permanent=True) == (404, 40407)
    assert client.delete_version(name, 1) == 1
    assert client.get_versions(name) == [2]
    assert client.get_versions(name, deleted=True) == [1, 2]
    assert refused(client.get_version, name, 1) == (404, 40402)
    assert client.get_version(name, 1, deleted=True).version == 1
    assert refused(client.delete_version, name, 1) == (404, 40406)
    assert client.delete_version(name, 1, permanent=True) == 1
    assert client.get_versions(name, deleted=True) == [2]
    client.clear_caches()
    assert client.register_schema_full_response(name, FIRST).version == 3, "the number of a version is never used again"
    assert client.get_schema(second_id).schema_str


def test_subjects_are_deleted_softly_then_for_good(client: SchemaRegistryClient, name: str):
    client.register_schema(name, FIRST)
    client.register_schema(name, NEXT)
    assert refused(client.delete_subject, f"{name}-not", permanent=False) == (404, 40401)
    assert client.delete_subject(name) == [1, 2]
    assert refused(client.delete_subject, name) == (404, 40404)
    assert name not in client.get_subjects()
    assert name in client.get_subjects(deleted=True)
    client.clear_caches()
    assert client.lookup_schema(name, FIRST, deleted=True).version == 1
    client.clear_caches()
    assert client.register_schema_full_response(name, FIRST).version == 3, "it goes on with the next version"
    assert refused(client.delete_subject, name, permanent=True) == (404, 40405)
    client.delete_subject(name)
    assert client.delete_subject(name, permanent=True) == [2, 3], (
        "the third took the place of the first, which had its schema"
    )
    assert name not in client.get_subjects(deleted=True)


def test_compatibility_is_checked_and_told(client: SchemaRegistryClient, name: str):
    client.register_schema(name, FIRST)
    assert client.test_compatibility(name, NEXT) is True
    assert client.test_compatibility(name, BROKEN, version=1, verbose=True) is False
    assert client.test_compatibility_all_versions(name, NEXT) is True
    assert client.test_compatibility_all_versions(name, BROKEN, normalize=True, verbose=True) is False
    assert refused(client.register_schema, name, BROKEN) == (409, 409)
    assert refused(client.test_compatibility, name, BROKEN, version=7) == (404, 40402)


@pytest.mark.parametrize("level", list(ConfigCompatibilityLevel), ids=lambda level: level.value)
def test_each_level_decides(client: SchemaRegistryClient, name: str, level: ConfigCompatibilityLevel):
    client.register_schema(name, NEXT)
    client.set_compatibility(name, level.value)
    assert client.get_compatibility(name) == level.value
    assert client.test_compatibility(name, FIRST) is True
    assert client.test_compatibility(name, BROKEN) is (level is ConfigCompatibilityLevel.NONE)


def test_the_config_of_a_subject_and_of_all(client: SchemaRegistryClient, name: str):
    assert client.get_compatibility() == client.get_config().compatibility_level.value
    assert refused(client.get_config, name) == (404, 40408)
    wanted = ServerConfig(
        compatibility=ConfigCompatibilityLevel.FULL_TRANSITIVE,
        compatibility_group="application.major.version",
        default_metadata=METADATA,
        override_metadata=Metadata(None, MetadataProperties({"team": "x"}), None),
        default_rule_set=RULES,
    )
    client.set_config(name, wanted)
    got = client.get_config(name)
    assert got.compatibility_level is ConfigCompatibilityLevel.FULL_TRANSITIVE
    assert got.compatibility_group == "application.major.version"
    assert got.default_metadata == METADATA
    assert got.override_metadata.properties.properties == {"team": "x"}
    assert [rule.name for rule in got.default_rule_set.domain_rules] == ["positive"]
    client.delete_config(name)
    assert refused(client.get_config, name) == (404, 40408)
    assert refused(client.set_compatibility, name, "SIDEWAYS") == (422, 42203)


def test_modes(client: SchemaRegistryClient, name: str):
    assert client.get_global_mode() == "READWRITE"
    assert client.update_global_mode("READWRITE") == "READWRITE"
    assert refused(client.get_mode, name) == (404, 40409)
    assert client.update_mode(name, "READONLY") == "READONLY"
    assert client.get_mode(name) == "READONLY"
    assert refused(client.register_schema, name, FIRST) == (422, 42205)
    assert client.delete_mode(name) == "READONLY"
    assert client.register_schema(name, FIRST) > 0
    assert refused(client.update_mode, name, "SIDEWAYS") == (422, 42204)
    assert refused(client.update_mode, name, "IMPORT") == (422, 42205), "there are schemas"
    assert client.update_mode(name, "IMPORT", force=True) == "IMPORT"


def test_metadata_and_rules_are_kept_and_searched(client: SchemaRegistryClient, name: str):
    first = Schema(text(AVRO), "AVRO", [], METADATA, RULES)
    client.register_schema(name, first)
    client.register_schema(
        name, Schema(text(AVRO_NEXT), "AVRO", [], Metadata(None, MetadataProperties({"v": "2"}), None))
    )
    client.clear_caches()
    assert client.get_version(name, 1).schema.metadata == METADATA
    kept = client.get_version(name, 1).schema.rule_set
    assert (kept.migration_rules, kept.domain_rules) == (RULES.migration_rules, RULES.domain_rules)
    assert client.get_latest_with_metadata(name, {"v": "1"}).version == 1
    assert client.get_latest_with_metadata(name, {"v": "2"}).version == 2
    assert refused(client.get_latest_with_metadata, name, {"v": "3"})[0] == 404
    client.delete_version(name, 1)
    client.clear_caches()
    assert refused(client.get_latest_with_metadata, name, {"v": "1"})[0] == 404
    assert client.get_latest_with_metadata(name, {"v": "1"}, deleted=True).version == 1


def test_a_rule_set_that_is_none_is_refused(client: SchemaRegistryClient, name: str):
    nameless = RULES.domain_rules[0].to_dict() | {"name": ""}
    rules = RuleSet(migration_rules=[], domain_rules=[Rule.from_dict(nameless)])
    assert refused(client.register_schema, name, Schema(text(AVRO), "AVRO", [], None, rules)) == (422, 42210)


def test_references_hold_what_they_name(client: SchemaRegistryClient, name: str):
    country = Schema(
        '{"type": "record", "name": "Country", "namespace": "geo", "fields": [{"name": "a", "type": "int"}]}'
    )
    client.register_schema(f"{name}-country", country)
    city = '{"type": "record", "name": "City", "fields": [{"name": "in", "type": "geo.Country"}]}'
    assert refused(client.register_schema, name, Schema(city)) == (422, 42201)
    reference = SchemaReference("geo.Country", f"{name}-country", 1)
    schema_id = client.register_schema(name, Schema(city, "AVRO", [reference]))
    assert client.get_referenced_by(f"{name}-country", 1) == [schema_id]
    client.clear_caches()
    assert client.get_schema(schema_id).references == [reference]
    client.clear_caches()
    assert "fields" in client.get_schema(schema_id, fmt="resolved").schema_str.split("geo", 1)[1]
    assert refused(client.delete_subject, f"{name}-country") == (422, 42206)
    assert refused(client.delete_version, f"{name}-country", 1) == (422, 42206)
    client.delete_subject(name)
    client.delete_subject(name, permanent=True)
    assert client.delete_subject(f"{name}-country") == [1]


def test_contexts_keep_their_own_ids(client: SchemaRegistryClient, registry: ServiceProcess, name: str):
    context = f".{name}"
    schema_id = client.register_schema(f":{context}:orders", FIRST)
    assert schema_id == 1, "a context counts for itself"
    assert context in client.get_contexts()
    assert client.get_subjects(subject_prefix=f":{context}:") == [f":{context}:orders"]
    with SchemaRegistryClient({"url": f"{registry.url}/contexts/{context}"}) as within:
        assert within.get_versions("orders") == [1]
        assert within.register_schema("orders", NEXT) == 2
        assert within.get_schema(2).schema_type == "AVRO"
    assert client.get_versions(f":{context}:orders") == [1, 2]
    assert f":{context}:orders" not in client.get_subjects(subject_prefix=name)


def test_normalized_schemas_are_the_same_schema(client: SchemaRegistryClient, name: str):
    one = Schema('{"type": "record", "name": "R", "fields": [{"name": "a", "type": {"type": "int"}}]}')
    same = Schema('{"name": "R", "type": "record", "doc": "", "fields": [{"type": "int", "name": "a"}]}')
    schema_id = client.register_schema(name, one, normalize_schemas=True)
    assert client.register_schema(name, same, normalize_schemas=True) in (schema_id, schema_id + 1)
    client.clear_caches()
    assert client.lookup_schema(name, one, normalize_schemas=True).schema_id == schema_id


def test_pages_of_a_list(client: SchemaRegistryClient, name: str):
    for number in range(5):
        client.register_schema(f"{name}-{number}", FIRST)
    wanted = [f"{name}-{number}" for number in range(5)]
    assert client.get_subjects(subject_prefix=name) == wanted
    assert client.get_subjects(subject_prefix=name, offset=1, limit=2) == wanted[1:3]
    assert client.get_versions(f"{name}-0", offset=1, limit=5) == []
    assert client.get_contexts(offset=0, limit=1) == ["."]
