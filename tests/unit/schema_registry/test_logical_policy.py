"""`compatibilityPolicy` LOGICAL over HTTP: where it may be set, and what it refuses besides."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from riacho.schema_registry.parsing import ParsedSchemas
from riacho.schema_registry.precomputing import LARGE_CHARACTERS
from support.schema_registry import RegistryClient, error, record_schema

A = record_schema("a:int")
AB = record_schema("a:int", "b:int")
EMPTY = record_schema()
NO_PAIR = "The compatibility policy LOGICAL does not go with the level {}: tables of Iceberg only read backward"


def _logical(level: str = "BACKWARD", *versions: str) -> RegistryClient:
    registry = RegistryClient()
    registry.put("/config/s", {"compatibility": "NONE"})
    for schema in versions:
        registry.register("s", schema)
    answer = registry.put("/config/s", {"compatibility": level, "compatibilityPolicy": "logical"})
    assert answer == (200, {"compatibility": level, "compatibilityPolicy": "LOGICAL"})
    return registry


def _messages(registry: RegistryClient, schema: str) -> list[str]:
    status, answer = registry.post("/compatibility/subjects/s/versions?verbose=true", {"schema": schema})
    assert (status, answer["is_compatible"]) == (200, not answer["messages"])
    assert registry.post("/subjects/s/versions", {"schema": schema})[0] == (409 if answer["messages"] else 200)
    messages: list[str] = answer["messages"]
    return messages


def _rules(messages: list[str]) -> list[str]:
    return [found[1] for text in messages if (found := re.match("""\\{errorType:['"](\\w+)""", text))]


def test_a_field_that_avro_lets_go_is_kept() -> None:
    messages = _messages(_logical("BACKWARD", AB), A)
    assert messages == [
        '{errorType:"FIELD_DELETED", category:["ICEBERG_V2"], '
        'description:"the reader lacks a field that the writer has", additionalInfo:"b"}',
        "{validateFields: 'false', compatibility: 'BACKWARD'}",
    ]


def test_the_comparison_of_schemas_is_told_first_and_what_was_compared_last() -> None:
    messages = _messages(_logical("BACKWARD", A), AB)
    assert _rules(messages) == ["READER_FIELD_MISSING_DEFAULT_VALUE", "REQUIRED_FIELD_ADDED"]
    assert [text.partition(":")[0] for text in messages[2:]] == ["{oldSchemaVersion", "{oldSchema", "{validateFields"]


def test_what_is_wrong_with_a_schema_by_itself_stands_between() -> None:
    rules = _rules(_messages(_logical("BACKWARD", A), record_schema("a:int", "A:int")))
    assert rules == ["READER_FIELD_MISSING_DEFAULT_VALUE", "FIELD_NAME_CASE_COLLISION", "REQUIRED_FIELD_ADDED"]


@pytest.mark.parametrize(
    ("level", "history", "new", "rules"),
    [
        ("BACKWARD", [AB], AB, []),
        ("BACKWARD", [A], record_schema("a:long"), []),
        ("BACKWARD", [AB, A], A, []),
        ("BACKWARD_TRANSITIVE", [AB, A], record_schema("a:long"), ["FIELD_DELETED"]),
        ("FULL", [A], record_schema("a:int", "b:int=0"), ["REQUIRED_FIELD_ADDED", "FIELD_DELETED"]),
        ("NONE", [AB], A, []),
        ("NONE", [AB], EMPTY, ["EMPTY_STRUCT"]),
        ("NONE", [], EMPTY, ["EMPTY_STRUCT"]),
        ("BACKWARD", [], EMPTY, ["EMPTY_STRUCT"]),
        # An old version that can be no table is compared as a schema only.
        ("BACKWARD", [json.dumps("null")], A, ["TYPE_MISMATCH"]),
    ],
)
def test_levels(level: str, history: list[str], new: str, rules: list[str]) -> None:
    assert _rules(_messages(_logical(level, *history), new)) == rules


def test_without_the_policy_nothing_of_it_is_asked() -> None:
    registry = _logical("BACKWARD", AB)
    registry.put("/config/s", {"compatibilityPolicy": "STRICT"})
    assert _messages(registry, A) == []


def test_json_schemas_are_compared_strictly_besides() -> None:
    registry = RegistryClient()
    registry.put("/config", {"compatibilityPolicy": "LOGICAL"})
    one = {"type": "object", "properties": {"a": {"type": "integer"}}}
    two = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}}
    registry.register("s", json.dumps(one), schemaType="JSON")
    asked = {"schema": json.dumps(two), "schemaType": "JSON"}
    _, answer = registry.post("/compatibility/subjects/s/versions?verbose=true", asked)
    assert _rules(answer["messages"]) == ["OPTIONAL_PROPERTY_ADDED_TO_OPEN_CONTENT_MODEL"]


def test_only_versions_of_its_group_are_compared() -> None:
    registry = _logical("BACKWARD", AB)
    registry.put("/config/s", {"compatibilityGroup": "major"})
    asked: dict[str, Any] = {"schema": A, "metadata": {"properties": {"major": "2"}}}
    assert registry.post("/subjects/s/versions", asked)[0] == 200


@pytest.mark.parametrize("level", ["FORWARD", "FORWARD_TRANSITIVE"])
def test_it_does_not_go_with_forward(level: str) -> None:
    registry = RegistryClient()
    refused = error(42203, NO_PAIR.format(level))
    assert registry.put("/config/s", {"compatibility": level, "compatibilityPolicy": "LOGICAL"}) == refused
    registry.put("/config/s", {"compatibility": level})
    assert registry.put("/config/s", {"compatibilityPolicy": "LOGICAL"}) == refused
    registry.put("/config/s", {"compatibility": "FULL", "compatibilityPolicy": "LOGICAL"})
    assert registry.put("/config/s", {"compatibility": level}) == refused
    assert registry.put("/config/s", {"normalize": True})[0] == 200
    # Taken away, what stands further out holds, which nobody asked about.
    registry.put("/config", {"compatibility": level})
    assert registry.put("/config/s", {"compatibility": None})[0] == 200
    told = [NO_PAIR.format(level), f"{{validateFields: 'false', compatibility: '{level}'}}"]
    assert _messages(registry, A) == told


def test_large_schemas_are_compared_ahead_of_the_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    fields = [f"{'column' * 20}{at}:int" for at in range(LARGE_CHARACTERS // 100)]
    registry = _logical("BACKWARD", record_schema(*fields, "last:int"))
    made: list[str] = []
    for name in ("logical_differences", "validity_differences"):
        plain = getattr(ParsedSchemas, name)

        def noted(self: ParsedSchemas, *schemas: Any, _name: str = name, _plain: Any = plain) -> tuple[str, ...]:
            made.append(_name)
            found: tuple[str, ...] = _plain(self, *schemas)
            return found

        monkeypatch.setattr(ParsedSchemas, name, noted)
    asked = {"schema": record_schema(*fields)}
    assert registry.post("/compatibility/subjects/s/versions", asked) == (200, {"is_compatible": False})
    # Twice ahead, in both directions, and once in the decision, which finds the answer there.
    assert made == ["validity_differences", *["logical_differences"] * 2, "validity_differences", "logical_differences"]
