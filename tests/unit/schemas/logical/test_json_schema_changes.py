"""LOGICAL on JSON Schema, by the answers of Confluent's checker."""

from __future__ import annotations

from typing import Any

import pytest

from unit.schemas.logical.rules import BOTH, change, invalid, json_schema

TEXT: dict[str, Any] = {"type": "string"}
INT: dict[str, Any] = {"type": "integer"}


def _field(schema: object) -> Any:
    return json_schema({"e": schema}, required=["e"])


def test_properties_come_and_go() -> None:
    a = json_schema({"a": TEXT}, required=["a"])
    assert change(a, json_schema({"a": TEXT, "b": TEXT}, required=["a"])) == []
    assert change(a, json_schema({"a": TEXT, "b": TEXT}, required=["a", "b"])) == [f"{BOTH} REQUIRED_FIELD_ADDED b"]
    with_default = json_schema({"a": TEXT, "b": {**TEXT, "default": "x"}}, required=["a", "b"])
    assert change(a, with_default) == ["ICEBERG_V2 REQUIRED_FIELD_ADDED b"]
    not_its_own = json_schema({"a": TEXT, "b": {**TEXT, "default": 1}}, required=["a", "b"])
    assert change(a, not_its_own) == [f"{BOTH} REQUIRED_FIELD_ADDED b"]
    assert change(json_schema({"a": TEXT, "b": TEXT}), json_schema({"a": TEXT})) == ["ICEBERG_V2 FIELD_DELETED b"]
    assert change(json_schema({"a": TEXT}), a) == [f"{BOTH} NULLABLE_TO_NON_NULLABLE a"]


def test_a_default_of_another_type_does_not_stand_in() -> None:
    inner = {"type": "object", "properties": {"a": TEXT, "b": {**INT, "default": 7}}}
    before = json_schema({"inner": {"$ref": "#/$defs/I"}}, **{"$defs": {"I": inner}})
    after = json_schema({"inner": {"$ref": "#/$defs/I"}, "must": INT}, required=["must"], **{"$defs": {"I": inner}})
    assert change(before, after) == [f"{BOTH} REQUIRED_FIELD_ADDED must"]


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (INT, {"type": "number"}, f"{BOTH} UNSUPPORTED_TYPE_CHANGE"),
        (INT, {**INT, "connect.type": "int32"}, f"{BOTH} UNSUPPORTED_TYPE_CHANGE"),
        ({**INT, "connect.type": "int32"}, INT, ""),
        ({**TEXT, "maxLength": 9}, {**TEXT, "maxLength": 5}, "FLINK UNSUPPORTED_TYPE_CHANGE"),
        ({"enum": ["x", "y"]}, {"const": "x"}, "ICEBERG_V2 ENUM_DELETED"),
        ({"enum": [1, 2]}, INT, f"{BOTH} UNSUPPORTED_TYPE_CHANGE"),
        # One branch by itself is a union all the same, as Flink reads it.
        ({"oneOf": [INT]}, INT, f"{BOTH} TYPE_MISMATCH"),
        ({"oneOf": [TEXT, INT]}, {"oneOf": [TEXT, INT, {"type": "boolean"}]}, ""),
        ({"oneOf": [{**TEXT, "title": "A"}, INT]}, {"oneOf": [{**TEXT, "title": "B"}, INT]}, ""),
        ({"oneOf": [TEXT, INT]}, {"oneOf": [INT, TEXT]}, f"{BOTH} UNSUPPORTED_TYPE_CHANGE"),
    ],
)
def test_a_property_changes(old: object, new: object, found: str) -> None:
    told = change(_field(old), _field(new))
    assert {each.rpartition(" ")[0] for each in told} == ({found} if found else set())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"const": "x"}, {"enum": ["x"]}),
        ({**TEXT, "const": "x"}, {"enum": ["x"]}),
        ({"const": "x"}, {**TEXT, "enum": ["x"]}),
        ({"const": 42}, {"enum": [42]}),
        ({"type": "boolean", "const": True}, {"type": "boolean"}),
        ({"type": ["string", "null"], "enum": ["a", "b"]}, {"oneOf": [{"type": "null"}, {"enum": ["a", "b"]}]}),
        ({"type": ["string", "null"], "const": "a"}, {"enum": ["a", None]}),
        ({"type": ["integer", "null"]}, {"anyOf": [INT, {"type": "null"}]}),
        ({"allOf": [{"type": "object", "properties": {"a": INT}}, {"type": "object", "properties": {"b": TEXT}}]},
         {"type": "object", "properties": {"b": TEXT, "a": INT}}),
        ({**INT, "format": "int64"}, INT),
    ],
)  # fmt: skip
def test_two_ways_to_say_one_type(one: object, other: object) -> None:
    assert change(_field(one), _field(other)) == []
    assert change(_field(other), _field(one)) == []
    assert invalid(_field(one)) == []


def test_only_the_type_says_whether_an_enum_beside_it_may_be_null() -> None:
    nullable, plain = _field({"type": ["string", "null"], "enum": ["a"]}), _field({**TEXT, "enum": ["a", None]})
    assert change(nullable, plain) == [f"{BOTH} NULLABLE_TO_NON_NULLABLE e"]


def test_null_behind_a_reference_is_null() -> None:
    defs = {"N": {"type": "null"}}
    inline, behind = ({"oneOf": [null, TEXT]} for null in ({"type": "null"}, {"$ref": "#/$defs/N"}))
    for draft in ("http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"):
        two = [json_schema({"e": each}, **{"$schema": draft, "$defs": defs}) for each in (inline, behind)]
        assert change(two[0], two[1]) == change(two[1], two[0]) == invalid(two[1]) == []


def test_a_reference_is_what_it_refers_to() -> None:
    inner = {"type": "object", "properties": {"x": INT}}
    by_name = json_schema({"f": {"$ref": "#/definitions/T"}}, definitions={"T": inner})
    assert change(by_name, json_schema({"f": inner})) == []
    other = json_schema({"f": {"$ref": "#/definitions/T"}}, definitions={"T": {**inner, "properties": {"x": TEXT}}})
    assert change(by_name, other) == [f"{BOTH} UNSUPPORTED_TYPE_CHANGE f.x"]


def test_types_of_connect() -> None:
    data = "org.apache.kafka.connect.data."
    decimal = {"type": "number", "title": f"{data}Decimal", "connect.type": "bytes"}
    narrow, wide = (
        {**decimal, "connect.parameters": {"scale": "2", "connect.decimal.precision": p}} for p in ("8", "9")
    )
    assert change(_field(narrow), _field(wide)) == []
    assert change(_field(wide), _field(narrow)) == [f"{BOTH} UNSUPPORTED_TYPE_CHANGE e"]
    date = {**INT, "title": f"{data}Date", "connect.type": "int32"}
    assert change(_field(date), _field({**INT, "connect.type": "int32"})) == [f"{BOTH} UNSUPPORTED_TYPE_CHANGE e"]
    time = {**INT, "title": f"{data}Timestamp", "connect.type": "int64"}
    assert change(_field(time), _field({**time, "flink.precision": 6})) == ["FLINK UNSUPPORTED_TYPE_CHANGE e"]
    by_text = {"type": "object", "connect.type": "map", "additionalProperties": INT}
    entry = {"type": "object", "properties": {"key": TEXT, "value": INT}}
    assert change(_field(by_text), _field({"type": "array", "connect.type": "map", "items": entry})) == []
    assert change(_field({**TEXT, "connect.type": "bytes"}), _field(TEXT)) == [f"{BOTH} UNSUPPORTED_TYPE_CHANGE e"]
