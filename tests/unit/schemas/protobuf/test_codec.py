"""JSON to payload and back, message indexes included."""

from __future__ import annotations

import pytest

from riacho.schemas.parsed import DataError, Json, SchemaSource
from riacho.schemas.protobuf.codec import decode_indexes, encode_indexes
from riacho.schemas.protobuf.schema import parse

P3 = 'syntax = "proto3"; '
FILE = (
    P3
    + """
    package p;
    message First { int32 a = 1; message Inner { string b = 1; message Most { bool c = 1; } } }
    message Second { double d = 1; message Only { bytes e = 1; } }
"""
)


@pytest.mark.parametrize(
    ("message", "value", "payload"),
    [
        (None, {"a": 150}, b"\x00\x08\x96\x01"),
        ("p.First", {"a": 1}, b"\x00\x08\x01"),
        ("First", {}, b"\x00"),
        (".p.First", {}, b"\x00"),
        ("Second", {}, b"\x02\x02"),
        ("First.Inner", {"b": "x"}, b"\x04\x00\x00\x0a\x01x"),
        ("p.First.Inner.Most", {"c": True}, b"\x06\x00\x00\x00\x08\x01"),
        ("Second.Only", {"e": "/wA="}, b"\x04\x02\x00\x0a\x02\xff\x00"),
    ],
)
def test_payloads(message: str | None, value: Json, payload: bytes) -> None:
    codec = parse(SchemaSource(FILE)).codec(message)
    assert codec.encode(value) == payload
    decoded = codec.decode(payload)
    assert isinstance(decoded, dict)
    assert {name: field for name, field in decoded.items() if field} == value


def test_whatever_message_is_in_the_payload_is_read() -> None:
    codec = parse(SchemaSource(FILE)).codec("Second")
    assert codec.decode(memoryview(b"\x04\x00\x00\x0a\x01x")) == {"b": "x"}
    assert codec.decode(b"\x02\x00") == codec.decode(b"\x00") == {"a": 0}


TYPES = (
    P3
    + """
    import "google/protobuf/timestamp.proto"; import "google/protobuf/struct.proto"; import "google/protobuf/any.proto";
    import "google/protobuf/wrappers.proto"; import "google/protobuf/duration.proto";
    message M {
      int32 int_field = 1; int64 long_field = 2; uint64 u = 3; float f = 4; double d = 5; bool b = 6; string s = 7;
      bytes y = 8; E e = 9; repeated int32 many = 10; map<string, int64> map_field = 11; M inner = 12;
      optional int32 maybe = 13; oneof o { string one = 14; int32 two = 15; } enum E { ZERO = 0; ONE = 1; }
      google.protobuf.Timestamp t = 16; google.protobuf.Struct st = 17; google.protobuf.Int64Value w = 18;
      google.protobuf.Duration du = 19; google.protobuf.Any any = 20; int32 renamed = 21 [json_name = "other"];
    }
"""
)
DEFAULTS = {
    "int_field": 0, "long_field": "0", "u": "0", "f": 0.0, "d": 0.0, "b": False, "s": "", "y": "", "e": "ZERO",
    "many": [], "map_field": {}, "renamed": 0,
}  # fmt: skip


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({}, {}),
        ({"int_field": 5}, {"int_field": 5}),
        ({"intField": 5}, {"int_field": 5}),
        ({"int_field": "5"}, {"int_field": 5}),
        ({"long_field": 9007199254740993}, {"long_field": "9007199254740993"}),
        ({"long_field": "-1"}, {"long_field": "-1"}),
        ({"u": 18446744073709551615}, {"u": "18446744073709551615"}),
        ({"f": 1.5, "d": "Infinity"}, {"f": 1.5, "d": "Infinity"}),
        ({"d": "NaN"}, {"d": "NaN"}),
        ({"y": "AP8="}, {"y": "AP8="}),
        ({"e": "ONE"}, {"e": "ONE"}),
        ({"e": 1}, {"e": "ONE"}),
        ({"e": 77}, {"e": 77}),
        ({"many": [1, 2, 3]}, {"many": [1, 2, 3]}),
        ({"map_field": {"b": 2, "a": "1"}}, {"map_field": {"a": "1", "b": "2"}}),
        ({"maybe": 0}, {"maybe": 0}),
        ({"one": ""}, {"one": ""}),
        ({"two": 0}, {"two": 0}),
        ({"t": "2024-02-29T12:00:00.5Z"}, {"t": "2024-02-29T12:00:00.500Z"}),
        ({"st": {"x": [1, None, {"y": True}]}}, {"st": {"x": [1.0, None, {"y": True}]}}),
        ({"w": "7"}, {"w": "7"}),
        ({"du": "1.5s"}, {"du": "1.500s"}),
        ({"other": 3}, {"renamed": 3}),
        ({"s": None}, {}),
        ({"s": "ä😀"}, {"s": "ä😀"}),
    ],
)  # fmt: skip
def test_values_in_json(value: Json, shown: dict[str, Json]) -> None:
    codec = parse(SchemaSource(TYPES)).codec()
    assert codec.decode(codec.encode(value)) == DEFAULTS | shown


def test_messages_within_messages() -> None:
    codec = parse(SchemaSource(TYPES)).codec()
    value = {"inner": {"any": {"@type": "type.googleapis.com/M", "s": "x"}}}
    decoded = codec.decode(codec.encode(value))
    assert isinstance(decoded, dict)
    assert decoded["inner"]["any"] == DEFAULTS | {"@type": "type.googleapis.com/M", "s": "x"}


def test_the_message_of_another_file() -> None:
    text = P3 + 'import "lib.proto"; message M { lib.T t = 1; }'
    codec = parse(SchemaSource(text, (), {"lib.proto": P3 + "package lib; message T { int32 a = 1; }"})).codec()
    assert codec.encode({"t": {"a": 1}}) == b"\x00\x0a\x02\x08\x01"
    assert codec.decode(b"\x00\x0a\x02\x08\x01") == {"t": {"a": 1}}


def test_maps_are_written_in_the_order_of_their_keys() -> None:
    codec = parse(SchemaSource(P3 + "message M { map<string, int32> m = 1; }")).codec()
    names = [f"k{number}" for number in range(50)]
    assert codec.encode({"m": dict.fromkeys(names, 1)}) == codec.encode({"m": dict.fromkeys(reversed(names), 1)})


@pytest.mark.parametrize(
    "value",
    [
        None, 5, "x", [], [1], {"nobody": 1}, {"int_field": "x"}, {"int_field": 2**31}, {"int_field": 1.5},
        {"int_field": True}, {"int_field": [1]}, {"long_field": 2**63}, {"u": -1}, {"b": 1}, {"b": "true"}, {"s": 1},
        {"s": "\ud800"}, {"y": 5}, {"e": "TWO"}, {"many": 1}, {"many": [None]}, {"many": ["x"]},
        {"map_field": []}, {"map_field": {"a": "x"}}, {"map_field": {"a": None}}, {"inner": 5}, {"t": "now"},
        {"t": 5}, {"one": "x", "two": 1}, {"any": {"@type": "x"}}, {"any": {"a": 1}},
        {"du": "x"}, {"f": "x"}, {"f": 1e300}, {"d": {}}, {1: 1}, {"st": 5}, b"x", object(),
        {"s": object()}, {"inner": {"inner": {"nobody": 1}}},
    ],
)  # fmt: skip
def test_values_that_do_not_fit(value: Json) -> None:
    codec = parse(SchemaSource(TYPES)).codec()
    with pytest.raises(DataError, match="The value is no M"):
        codec.encode(value)


def test_a_value_that_never_ends() -> None:
    value: dict[str, Json] = {}
    value["inner"] = value
    with pytest.raises(DataError):
        parse(SchemaSource(TYPES)).codec().encode(value)


@pytest.mark.parametrize(
    "payload",
    [b"", b"\x80", b"\xff\xff\xff\xff\xff\xff", b"\x02", b"\x02\x04", b"\x02\x01", b"\x04\x00\x7e", b"\x01",
     b"\x03\x00", b"\x42" + bytes(33), b"\xfe\xff\xff\xff\x0f" + bytes(10), b"\x00\x08", b"\x00\xff\xff",
     b"\x00\x0a\x05x"],
)  # fmt: skip
def test_payloads_that_cannot_be_read(payload: bytes) -> None:
    with pytest.raises(DataError, match=r"payload|message at index"):
        parse(SchemaSource(FILE)).codec().decode(payload)


def test_required_fields() -> None:
    codec = parse(SchemaSource("message M { required int32 a = 1; optional int32 b = 2 [default = 7]; }")).codec()
    assert codec.encode({"a": 0}) == b"\x00\x08\x00"
    with pytest.raises(DataError, match="missing required field"):
        codec.encode({"b": 1})


def test_a_message_that_the_schema_has_not() -> None:
    with pytest.raises(DataError, match="The schema has no message Third"):
        parse(SchemaSource(FILE)).codec("Third")


def test_a_schema_without_messages() -> None:
    schema = parse(SchemaSource(P3 + "package p; enum E { Z = 0; }"))
    assert schema.name == "p.E"
    with pytest.raises(DataError, match="The schema has no message"):
        schema.codec().encode({})
    with pytest.raises(DataError, match="no message at index"):
        schema.codec().decode(b"\x00")


@pytest.mark.parametrize("indexes", [[0], [1], [0, 0], [63], [64], [5, 4, 3, 2, 1], [300, 70000]])
def test_indexes(indexes: list[int]) -> None:
    assert decode_indexes(encode_indexes(indexes)) == (tuple(indexes), len(encode_indexes(indexes)))
