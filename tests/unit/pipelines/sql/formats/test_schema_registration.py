"""Schemas of sources in the registry, and the registry in memory."""

from __future__ import annotations

import pytest

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.memory_registry import MemoryRegistry
from riacho.pipelines.sql.formats.registry_access import RegistryRefusal
from riacho.pipelines.sql.formats.schema_registration import register_schema, subject_of
from riacho.pipelines.sql.types import BIGINT, INTEGER, STRING, Field
from riacho.schemas.parsed import Reference

ONE = [Field("A", INTEGER)]
TWO = [Field("A", INTEGER), Field("B", STRING)]


def test_schemas_are_registered_under_the_topics_subjects() -> None:
    registry = MemoryRegistry()
    assert subject_of("t", True) == "t-key"
    value = register_schema(registry, "t", "AVRO", TWO, False, None, {})
    key = register_schema(registry, "t", "JSON_SR", ONE, True, None, {})
    assert value is not None
    assert key is not None
    assert registry.subjects() == ["t-key", "t-value"]
    assert key.parsed.text == '{"oneOf":[{"type":"null"},{"type":"integer","connect.type":"int32"}]}'


def test_formats_without_schemas_and_sources_without_columns_register_nothing() -> None:
    registry = MemoryRegistry()
    assert register_schema(registry, "t", "JSON", TWO, False, None, {}) is None
    assert register_schema(registry, "t", "AVRO", [], True, None, {}) is None
    assert registry.subjects() == []


def test_create_without_as_leaves_a_subject_that_is_there() -> None:
    registry = MemoryRegistry()
    first = register_schema(registry, "t", "AVRO", ONE, False, None, {})
    assert register_schema(registry, "t", "AVRO", TWO, False, None, {}, only_if_absent=True) == first
    second = register_schema(registry, "t", "AVRO", TWO, False, None, {})
    assert second is not None
    assert second.version == 2
    assert register_schema(registry, "t", "AVRO", ONE, False, None, {}) == first


def test_an_incompatible_schema_is_refused() -> None:
    registry = MemoryRegistry(is_strict=True)
    register_schema(registry, "t", "AVRO", [Field("A", BIGINT)], False, None, {})
    with pytest.raises(KsqlError, match=r"^Could not register schema for topic: .*incompatible with an earlier schema"):
        register_schema(registry, "t", "AVRO", [Field("A", STRING)], False, None, {})


def test_the_registry_in_memory() -> None:
    registry = MemoryRegistry()
    first = registry.register("a", "AVRO", '"string"')
    assert registry.register("b", "AVRO", '{"type": "string"}').id == first.id
    assert registry.by_id(first.id).text == '"string"'
    assert registry.latest("c") is None
    assert registry.register_as("c", "AVRO", '"int"', schema_id=77).id == 77
    assert registry.register("d", "AVRO", '"long"').id == 78
    registry.delete("d")
    assert registry.latest("d") is None
    for act in (lambda: registry.by_id(5), lambda: registry.register("a", "AVRO", "{")):
        with pytest.raises(RegistryRefusal):
            act()


def test_references_are_resolved_in_memory() -> None:
    registry = MemoryRegistry()
    registry.register("inner", "AVRO", '{"type":"record","name":"Inner","fields":[{"name":"x","type":"int"}]}')
    outer = '{"type":"record","name":"Outer","fields":[{"name":"i","type":"Inner"}]}'
    found = registry.register("outer", "AVRO", outer, [Reference("Inner", "inner", 1)])
    assert list(found.parsed.resolved) == ["Inner"]
    with pytest.raises(RegistryRefusal, match="not found"):
        registry.register("other", "AVRO", outer, [Reference("Inner", "nobody", 1)])
