"""`/compatibility` over HTTP, and levels over versions."""

from __future__ import annotations

import json

import pytest

from riacho.schema_registry.entities import Version
from riacho.schema_registry.registry import Registry
from riacho.schemas.parsed import ParsedSchema
from support.schema_registry import RegistryClient, error, record_schema

A = record_schema("a:int")
AB = record_schema("a:int", "b:int")
NONE = record_schema()
A_TEXT = record_schema('a:string=""')
LEVELS = (
    "NONE",
    "BACKWARD",
    "BACKWARD_TRANSITIVE",
    "FORWARD",
    "FORWARD_TRANSITIVE",
    "FULL",
    "FULL_TRANSITIVE",
)


def _subject(level: str, *versions: str) -> RegistryClient:
    registry = RegistryClient()
    registry.put("/config/s", {"compatibility": "NONE"})
    for schema in versions:
        registry.register("s", schema)
    registry.put("/config/s", {"compatibility": level})
    return registry


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("history", "new", "compatible_with"),
    [
        ((A,), record_schema("a:int", "b:int=0"), LEVELS),
        ((A,), AB, ("NONE", "FORWARD", "FORWARD_TRANSITIVE")),
        ((AB,), A, ("NONE", "BACKWARD", "BACKWARD_TRANSITIVE")),
        ((A,), record_schema("a:long"), ("NONE", "BACKWARD", "BACKWARD_TRANSITIVE")),
        ((A,), record_schema("a:string"), ("NONE",)),
        ((A, NONE), A_TEXT, ("NONE", "BACKWARD", "FORWARD", "FULL")),
        ((), AB, LEVELS),
    ],
)
def test_levels(level: str, history: tuple[str, ...], new: str, compatible_with: tuple[str, ...]) -> None:
    """As Confluent's own checker answers; asking and registering say the same."""
    registry = _subject(level, *history)
    expected = level in compatible_with
    assert registry.post("/compatibility/subjects/s/versions", {"schema": new}) == (200, {"is_compatible": expected})
    assert registry.post("/subjects/s/versions", {"schema": new})[0] == (200 if expected else 409)


def test_with_one_version_only_that_one_counts() -> None:
    registry = _subject("BACKWARD_TRANSITIVE", A, NONE)
    path = "/compatibility/subjects/s/versions"
    assert registry.post(f"{path}/2", {"schema": A_TEXT}) == (200, {"is_compatible": True})
    assert registry.post(f"{path}/latest", {"schema": A_TEXT}) == (200, {"is_compatible": True})
    assert registry.post(f"{path}/1", {"schema": A_TEXT}) == (200, {"is_compatible": False})


def test_reasons_on_request() -> None:
    registry = _subject("BACKWARD", A)
    reason = (
        "{errorType:'READER_FIELD_MISSING_DEFAULT_VALUE', description:'The field 'b' at path '/fields/1' in the new "
        "schema has no default value and is missing in the old schema', additionalInfo:'b'}"
    )
    for path in ("", "/1", "/latest"):
        assert registry.post(f"/compatibility/subjects/s/versions{path}?verbose=true", {"schema": AB}) == (
            200,
            {
                "is_compatible": False,
                "messages": [
                    reason,
                    "{oldSchemaVersion: 1}",
                    f"{{oldSchema: '{A}'}}",
                    "{validateFields: 'false', compatibility: 'BACKWARD'}",
                ],
            },
        )
    for path in ("/s/versions", "/s/versions/1", "/new/versions/latest", "/new/versions"):
        asked = f"/compatibility/subjects{path}"
        assert registry.post(f"{asked}?verbose=true", {"schema": A}) == (200, {"is_compatible": True, "messages": []})
        assert registry.post(asked, {"schema": A}) == (200, {"is_compatible": True})


def test_forward_the_old_schema_is_the_reader() -> None:
    registry = _subject("FORWARD", AB)
    messages = registry.post("/compatibility/subjects/s/versions?verbose=true", {"schema": A})[1]["messages"]
    assert "in the old schema has no default value and is missing in the new schema" in messages[0]
    assert messages[1] == "{oldSchemaVersion: 1}"


def test_full_tells_the_forward_reasons_first() -> None:
    registry = _subject("FULL", A)
    new = record_schema("a:string")
    messages = registry.post("/compatibility/subjects/s/versions?verbose=true", {"schema": new})[1]["messages"]
    assert "in the old schema does not match with the new schema" in messages[0]
    assert "in the new schema does not match with the old schema" in messages[1]
    assert messages[2] == "{oldSchemaVersion: 1}"


@pytest.mark.parametrize(
    ("kind", "old", "new", "sentence"),
    [
        ("AVRO", '"int"', '"string"', "(path '/') of a field in the old schema does not match with the new schema"),
        (
            "JSON",
            '{"type":"string","pattern":"a"}',
            '{"type":"string","pattern":"b"}',
            "The value at path '#/pattern' is different between the old and new schema",
        ),
        ("JSON", '{"type":"string"}', '{"type":"integer"}', "different between the old schema and the new schema"),
        (
            "PROTOBUF",
            'syntax = "proto3"; message M { int32 a = 1; }',
            'syntax = "proto3"; message M { string a = 1; }',
            "The kind of a SCALAR field at path '#/M/1' in the old schema does not match its kind in the new schema",
        ),
    ],
)
def test_forward_the_old_schema_is_the_one_that_reads(kind: str, old: str, new: str, sentence: str) -> None:
    registry = RegistryClient()
    registry.put("/config/s", {"compatibility": "FORWARD"})
    registry.register("s", old, schemaType=kind)
    body = {"schema": new, "schemaType": kind}
    messages = registry.post("/compatibility/subjects/s/versions?verbose=true", body)[1]["messages"]
    assert sentence in messages[0]


def test_other_kinds_are_never_compatible() -> None:
    registry = _subject("BACKWARD", A)
    body = {"schema": '{"type":"object"}', "schemaType": "JSON"}
    messages = registry.post("/compatibility/subjects/s/versions?verbose=true", body)[1]["messages"]
    assert messages[0] == "Incompatible because of different schema type"


def test_a_long_history_is_parsed_only_as_far_as_it_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = _subject("NONE", *(record_schema(f"f{number}:int") for number in range(30)))
    registry.put("/config/s", {"compatibility": "BACKWARD_TRANSITIVE"})
    parsed: list[int] = []
    parse_version = Registry.parsed_version

    def counted(core: Registry, version: Version) -> ParsedSchema:
        parsed.append(version.version)
        return parse_version(core, version)

    monkeypatch.setattr(Registry, "parsed_version", counted)
    assert registry.post("/subjects/s/versions", {"schema": AB})[1]["error_code"] == 409
    assert set(parsed) == {30}


def test_deleted_versions_do_not_count() -> None:
    registry = _subject("BACKWARD_TRANSITIVE", A, NONE)
    registry.delete("/subjects/s/versions/1")
    assert registry.post("/compatibility/subjects/s/versions", {"schema": A_TEXT}) == (200, {"is_compatible": True})


def test_groups_begin_a_history_anew() -> None:
    registry = _subject("BACKWARD")
    registry.put("/config/s", {"compatibilityGroup": "major"})
    registry.register("s", A, metadata={"properties": {"major": "1"}})
    body = {"schema": AB, "metadata": {"properties": {"major": "1"}}}
    assert registry.post("/compatibility/subjects/s/versions", body)[1] == {"is_compatible": False}
    body = {"schema": AB, "metadata": {"properties": {"major": "2"}}}
    assert registry.post("/compatibility/subjects/s/versions", body)[1] == {"is_compatible": True}


def test_long_schemas_are_cut_in_the_reasons() -> None:
    long = record_schema(*(f"field_number_{number}:int" for number in range(400)))
    registry = _subject("BACKWARD", long)
    new = record_schema("a:int", *(f"field_number_{number}:int" for number in range(400)))
    messages = registry.post("/compatibility/subjects/s/versions?verbose=true", {"schema": new})[1]["messages"]
    assert messages[2] == f"{{oldSchema: <truncated to 10240 characters> '{long[:10240]}'}}"


def test_what_cannot_be_compared() -> None:
    registry = _subject("BACKWARD", A)
    path = "/compatibility/subjects/s/versions"
    assert registry.post(f"{path}/9", {"schema": A}) == error(40402, "Version 9 not found.")
    assert registry.post("/compatibility/subjects/t/versions/1", {"schema": A}) == error(40402, "Version 1 not found.")
    assert registry.post("/compatibility/subjects/t/versions/latest", {"schema": A}) == (200, {"is_compatible": True})
    assert registry.post("/compatibility/subjects/t/versions", {"schema": A}) == (200, {"is_compatible": True})
    assert registry.post(f"{path}/x", {"schema": A})[1]["error_code"] == 42202
    assert registry.post(path, {"schema": ""}) == error(42201, "Empty schema")
    assert registry.post(f"{path}/1", {"schema": "{"})[1]["error_code"] == 42201
    assert registry.post(path, {"schema": A, "schemaType": "XML"}) == error(42201, "Invalid schema type XML")


def _object(properties: dict[str, object], **more: object) -> dict[str, object]:
    return {"schema": json.dumps({"type": "object", "properties": properties, **more}), "schemaType": "JSON"}


_INT, _TEXT = {"type": "integer"}, {"type": "string"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (_object({"a": _INT}), _object({"a": _INT, "b": _TEXT})),
        (_object({"a": _INT}), _object({"a": _INT, "b": {**_TEXT, "default": ""}}, required=["b"])),
        (_object({"a": _INT}), _object({"a": _INT}, additionalProperties=False)),
        (_object({"a": _INT}), _object({"a": _INT}, additionalProperties=_TEXT)),
        (_object({"b": _TEXT}, additionalProperties=False), _object({}, additionalProperties=False)),
    ],
)
def test_a_lenient_policy_forgives_names_that_an_open_model_left_free(old: dict[str, str], new: dict[str, str]) -> None:
    registry = RegistryClient()
    registry.register("s", **old)
    asked = "/compatibility/subjects/s/versions"
    assert registry.post(asked, new) == (200, {"is_compatible": False})
    assert registry.put("/config/s", {"compatibilityPolicy": "lenient"}) == (200, {"compatibilityPolicy": "LENIENT"})
    assert registry.post(f"{asked}?verbose=true", new) == (200, {"is_compatible": True, "messages": []})
    assert registry.register("s", **new) == 2
    registry.put("/config/s", {"compatibilityPolicy": "STRICT"})
    assert registry.post("/compatibility/subjects/s/versions/1", new) == (200, {"is_compatible": False})


def test_a_lenient_policy_still_refuses_what_breaks_readers() -> None:
    registry = RegistryClient()
    registry.put("/config", {"compatibilityPolicy": "LENIENT"})
    registry.register("s", **_object({"a": _INT}))
    for broken in (_object({"a": _TEXT}), _object({"a": _INT, "b": _TEXT}, required=["b"])):
        assert registry.post("/compatibility/subjects/s/versions", broken) == (200, {"is_compatible": False})
    registry.register("avro", A)
    assert registry.post("/compatibility/subjects/avro/versions", {"schema": AB}) == (200, {"is_compatible": False})
