"""LOGICAL on Protobuf, by the answers of Confluent's checker."""

from __future__ import annotations

import pytest

from unit.schemas.logical.rules import BOTH, change, invalid, protobuf


def _param(key: str, value: str) -> str:
    return f'[(confluent.field_meta) = {{params: [{{key: "{key}", value: "{value}"}}]}}]'


@pytest.mark.parametrize(
    ("added", "found"),
    [
        ("repeated string b = 2;", []),
        ("map<string, string> b = 2;", []),
        ("optional int32 b = 2;", []),
        ("M b = 2;", []),
        ("oneof b { int32 c = 2; }", []),
        # Left out it is 0 to who reads the message, and null to who reads the table.
        ("int32 b = 2;", [f"{BOTH} REQUIRED_FIELD_ADDED b"]),
        (f"int32 b = 2 {_param('logical.default', '7')};", ["ICEBERG_V2 REQUIRED_FIELD_ADDED b"]),
        (f"M b = 2 {_param('flink.notNull', 'true')};", [f"{BOTH} REQUIRED_FIELD_ADDED b"]),
    ],
)
def test_a_field_is_added(added: str, found: list[str]) -> None:
    assert change(protobuf("message M { string a = 1; }"), protobuf(f"message M {{ string a = 1; {added} }}")) == found


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("message M { I i = 1; message I { string a = 1; %s } }", "i"),
        ("message M { repeated I i = 1; message I { string a = 1; %s } }", "i[]"),
        ("message M { map<string, I> i = 1; message I { string a = 1; %s } }", "i{}"),
    ],
)
def test_a_field_is_added_further_down(text: str, path: str) -> None:
    old = protobuf(text % "")
    assert change(old, protobuf(text % "repeated string t = 2;")) == []
    assert change(old, protobuf(text % "int32 n = 2;")) == [f"{BOTH} REQUIRED_FIELD_ADDED {path}.n"]


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("int32 f = 1;", "int64 f = 1;", ""),
        ("int64 f = 1;", "int32 f = 1;", f"{BOTH} UNSUPPORTED_TYPE_CHANGE f"),
        ("int32 f = 1;", "uint32 f = 1;", ""),
        ("optional int32 f = 1;", "int32 f = 1;", f"{BOTH} NULLABLE_TO_NON_NULLABLE f"),
        (f"int32 f = 1 {_param('connect.type', 'int16')};", "int32 f = 1;", ""),
        ("int32 f = 1;", f"int32 f = 1 {_param('connect.type', 'int16')};", "FLINK UNSUPPORTED_TYPE_CHANGE f"),
        ("oneof f { string a = 1; int32 b = 2; bool c = 3; }", "oneof f { string a = 1; bool c = 3; }",
         "ICEBERG_V2 FIELD_DELETED f.b"),
        ("enum E { A = 0; B = 1; } E f = 1;", "enum E { A = 0; } E f = 1;", "ICEBERG_V2 ENUM_DELETED f"),
        ("map<int32, string> f = 1;", "map<int64, string> f = 1;", "ICEBERG_V2 MAP_KEY_TYPE_MISMATCH f"),
        ("message FEntry { string key = 1; int32 value = 2; } repeated FEntry f = 1;", "map<string, int32> f = 1;", ""),
        (f"confluent.type.Decimal f = 1 {_param('precision', '12')};", "confluent.type.Decimal f = 1;",
         f"{BOTH} UNSUPPORTED_TYPE_CHANGE f"),
        ("message W { repeated int32 value = 1; } repeated W f = 1 " + _param("flink.wrapped", "true") + ";",
         "message W { repeated int64 value = 1; } repeated W f = 1 " + _param("flink.wrapped", "true") + ";", ""),
    ],
)  # fmt: skip
def test_a_field_changes(old: str, new: str, found: str) -> None:
    told = change(protobuf(f"message M {{ {old} }}"), protobuf(f"message M {{ {new} }}"))
    assert told == ([found] if found else [])


def test_fields_may_be_declared_in_any_order() -> None:
    text = "message M { string %s = %d; string %s = %d; }"
    assert change(protobuf(text % ("a", 1, "b", 2)), protobuf(text % ("b", 2, "a", 1))) == []


ORDER, SHIP = "message Order { int32 id = 1; }", "message Ship { int64 weight = 1; }"


def test_a_file_of_several_messages_is_a_column_for_each() -> None:
    both = protobuf(ORDER + SHIP)
    assert change(both, protobuf(SHIP + ORDER)) == []
    assert change(protobuf(ORDER), both) == ["ICEBERG_V2 FIELD_DELETED id"]
    narrow = protobuf(ORDER + SHIP.replace("int64", "int32"))
    assert change(both, narrow) == [f"{BOTH} UNSUPPORTED_TYPE_CHANGE p.Ship.weight"]


def test_proto2_has_optional_fields_with_defaults_and_groups() -> None:
    old = protobuf("message M { required string a = 1; }", "proto2")
    more = "optional int32 b = 2 [default = 5]; optional group G = 3 { optional int32 x = 4; }"
    assert change(old, protobuf(f"message M {{ required string a = 1; {more} }}", "proto2")) == []
    assert change(old, protobuf("message M { required string a = 1; required int32 b = 2; }", "proto2")) == [
        f"{BOTH} REQUIRED_FIELD_ADDED b"
    ]


def test_times_of_protobuf_are_too_fine_for_iceberg_unless_they_say_otherwise() -> None:
    text = "message M { google.protobuf.Timestamp t = 1 %s; }"
    assert invalid(protobuf(text % "")) == ["ICEBERG_V2 UNREPRESENTABLE_TYPE t"]
    assert invalid(protobuf(text % _param("flink.precision", "6"))) == []
    assert invalid(protobuf(text % _param("flink.precision", "six"))) == [f"{BOTH} UNREPRESENTABLE_TYPE"]
