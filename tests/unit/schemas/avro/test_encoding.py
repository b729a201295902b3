"""The JSON form of values, in: bytes as Avro's specification has them, and refusals that say which field is wrong."""

from __future__ import annotations

import json

import pytest

from riacho.schemas.parsed import DataError, Json
from unit.schemas.avro.frozen import parsed

F2, E3 = {"type": "fixed", "name": "n.F", "size": 2}, {"type": "enum", "name": "E", "symbols": ["A", "B", "C"]}
POINT = {"type": "record", "name": "P", "fields": [{"name": "x", "type": "int"}, {"name": "y", "type": "string"}]}
NESTED = {"type": "record", "name": "N", "fields": [{"name": "ps", "type": {"type": "array", "items": POINT}}]}
ALIASED = {"type": "record", "name": "A", "fields": [{"name": "new", "type": "int", "aliases": ["old", "older"]}]}
LIST = {
    "type": "record",
    "name": "L",
    "fields": [{"name": "v", "type": "int"}, {"name": "next", "type": ["null", "L"]}],
}

FITS: list[tuple[str, object, Json, bytes]] = [
    ("null", "null", None, b""),
    ("true", "boolean", True, b"\1"),
    ("false", "boolean", False, b"\0"),
    ("zero", "int", 0, b"\0"),
    ("minus one", "int", -1, b"\1"),
    ("one", "int", 1, b"\2"),
    ("minus 64", "int", -64, b"\x7f"),
    ("64", "int", 64, b"\x80\1"),
    ("8192", "int", 8192, b"\x80\x80\1"),
    ("minus 1025", "int", -1025, b"\x81\x10"),
    ("largest int", "int", 2**31 - 1, b"\xfe\xff\xff\xff\x0f"),
    ("smallest int", "int", -(2**31), b"\xff\xff\xff\xff\x0f"),
    ("largest long", "long", 2**63 - 1, b"\xfe" + b"\xff" * 8 + b"\1"),
    ("smallest long", "long", -(2**63), b"\xff" * 9 + b"\1"),
    ("int without fraction", "int", 3.0, b"\6"),
    ("long without fraction", "long", 1e6, b"\x80\x89\x7a"),
    ("float", "float", 1.5, b"\0\0\xc0\x3f"),
    ("int as float", "float", 2, b"\0\0\0\x40"),
    ("double", "double", 1.5, b"\0\0\0\0\0\0\xf8\x3f"),
    ("int as double", "double", 1, b"\0\0\0\0\0\0\xf0\x3f"),
    ("infinity", "double", "Infinity", b"\0\0\0\0\0\0\xf0\x7f"),
    ("minus infinity", "float", "-Infinity", b"\0\0\x80\xff"),
    ("not a number", "float", "NaN", b"\0\0\xc0\x7f"),
    ("string", "string", "foo", b"\6foo"),
    ("empty string", "string", "", b"\0"),
    ("string of two bytes a character", "string", "é", b"\4\xc3\xa9"),
    ("bytes", "bytes", "\u00ff\u0000", b"\4\xff\0"),
    ("fixed", F2, "\u0001\u0080", b"\1\x80"),
    ("enum", E3, "C", b"\4"),
    ("array", {"type": "array", "items": "long"}, [3, 27], b"\4\6\x36\0"),
    ("empty array", {"type": "array", "items": "long"}, [], b"\0"),
    ("map", {"type": "map", "values": "int"}, {"a": 1}, b"\2\2a\2\0"),
    ("empty map", {"type": "map", "values": "int"}, {}, b"\0"),
    ("record", POINT, {"x": 1, "y": "b"}, b"\2\2b"),
    ("record, fields in another order", POINT, {"y": "b", "x": 1}, b"\2\2b"),
    ("record of no fields", {"type": "record", "name": "R", "fields": []}, {}, b""),
    ("record by alias", ALIASED, {"old": 1}, b"\2"),
    ("record by second alias", ALIASED, {"older": 1}, b"\2"),
    ("recursive", LIST, {"v": 1, "next": {"L": {"v": 2, "next": None}}}, b"\2\2\4\0"),
    ("union null", ["null", "string"], None, b"\0"),
    ("union branch", ["null", "string"], {"string": "a"}, b"\2\2a"),
    ("union of fixed by full name", ["null", F2], {"n.F": "ab"}, b"\2ab"),
    ("union of map", ["null", {"type": "map", "values": "int"}], {"map": {"map": 1}}, b"\2\2\6map\2\0"),
    ("logical type is its number", {"type": "long", "logicalType": "timestamp-millis"}, 1, b"\2"),
    ("decimal is its bytes", {"type": "bytes", "logicalType": "decimal", "precision": 4}, "\u0001", b"\2\1"),
]


@pytest.mark.parametrize(("schema", "value", "payload"), [case[1:] for case in FITS], ids=[case[0] for case in FITS])
def test_fits(schema: object, value: Json, payload: bytes) -> None:
    assert parsed(json.dumps(schema)).codec().encode(value) == payload


HALF = "expected a string, got one with half of a surrogate pair, which is no character"
BEYOND = "expected a string (bytes), one character U+0000 to U+00FF a byte; there is one beyond"

MISFITS: list[tuple[str, object, Json, str]] = [
    ("null", "null", 0, "expected null, got 0"),
    ("boolean", "boolean", 1, "expected a boolean, got 1"),
    ("boolean as int", "int", True, "expected int, got true"),
    ("boolean as double", "double", False, "expected double, got false"),
    ("string as int", "int", "1", 'expected int, got "1"'),
    ("fraction as int", "int", 1.5, "expected int, got 1.5"),
    ("fraction as long", "long", 0.1, "expected long, got 0.1"),
    ("null as int", "int", None, "expected int, got null"),
    ("int too large", "int", 2**31, "2147483648 is out of the range of int"),
    ("int too small", "int", -(2**31) - 1, "-2147483649 is out of the range of int"),
    ("long too large", "long", 2**63, "9223372036854775808 is out of the range of long"),
    ("long far too large", "long", 10**5000, "the number is out of the range of long"),
    ("long far too large as float", "long", 1e300, "the number is out of the range of long"),
    ("float too large", "float", 1e300, "the number is out of the range of float"),
    ("int too large for a double", "double", 10**400, "the number is out of the range of double"),
    ("word as float", "float", "nan", 'expected float, got "nan"'),
    ("number as string", "string", 1, "expected a string, got 1"),
    ("object as string", "string", {"string": "x"}, "expected a string, got an object"),
    ("half a surrogate pair", "string", "\ud800", HALF),
    ("bytes beyond 255", "bytes", "Ā", BEYOND),
    ("bytes as array", "bytes", [1], "expected a string (bytes), got an array"),
    ("fixed too short", F2, "a", "expected 2 bytes (fixed n.F), got 1"),
    ("fixed as number", F2, 12, "expected a string of 2 bytes (fixed n.F), got 12"),
    ("enum", E3, "D", 'expected a symbol of enum E, got "D"'),
    ("enum as index", E3, 0, "expected a symbol of enum E, got 0"),
    ("array", {"type": "array", "items": "int"}, {"0": 1}, "expected an array, got an object"),
    ("array item", {"type": "array", "items": "int"}, [1, 2, "x"], '[2]: expected int, got "x"'),
    ("map", {"type": "map", "values": "int"}, [], "expected an object (map), got an array"),
    ("map value", {"type": "map", "values": "int"}, {"k": "x"}, 'k: expected int, got "x"'),
    ("record", POINT, "x", 'expected an object (record P), got "x"'),
    ("record field", POINT, {"x": "1", "y": ""}, 'x: expected int, got "1"'),
    ("record field missing", POINT, {"x": 1}, "y: a value is required"),
    ("record of nothing", POINT, {}, "x: a value is required"),
    ("record field too many", POINT, {"x": 1, "y": "", "z": 1}, "z: the schema has no such field"),
    ("record field misspelt", POINT, {"x": 1, "Y": ""}, "y: a value is required"),
    ("record by name and alias", ALIASED, {"new": 1, "old": 1}, "old: the schema has no such field"),
    ("nested", NESTED, {"ps": [{"x": 1, "y": ""}, {"x": 1, "y": 2}]}, "ps[1].y: expected a string, got 2"),
    ("nested missing", NESTED, {"ps": [{"x": 1}]}, "ps[0].y: a value is required"),
    ("recursive", LIST, {"v": 1, "next": {"L": {"v": "x", "next": None}}}, 'next.L.v: expected int, got "x"'),
    ("long text is cut", "int", "x" * 1000, f'expected int, got "{"x" * 59}...'),
]


@pytest.mark.parametrize(("schema", "value", "said"), [case[1:] for case in MISFITS], ids=[case[0] for case in MISFITS])
def test_misfits(schema: object, value: Json, said: str) -> None:
    with pytest.raises(DataError) as refused:
        parsed(json.dumps(schema)).codec().encode(value)
    assert str(refused.value) == said


def test_a_default_is_for_readers() -> None:
    schema = parsed('{"type":"record","name":"R","fields":[{"name":"a","type":"int","default":1}]}')
    with pytest.raises(DataError, match="a: a value is required"):
        schema.codec().encode({})


def test_a_value_that_is_deeper_than_the_stack() -> None:
    value: Json = None
    for at in range(20_000):
        value = {"L": {"v": at, "next": value}}
    with pytest.raises(DataError, match="nested too deeply"):
        parsed(LIST).codec().encode(value["L"])  # type: ignore[index]


def test_a_fault_deep_inside_is_found_once() -> None:
    aliased = {"name": "next", "type": ["null", "D"], "aliases": ["n"]}
    schema = parsed({"type": "record", "name": "D", "fields": [{"name": "first", "type": ["null", "D"]}, aliased]})
    value: Json = {"first": 5, "n": None}
    for _ in range(60):
        value = {"first": {"D": value}, "n": None}
    with pytest.raises(DataError, match=r"first\.D\.first\.D"):
        schema.codec().encode(value)


def test_keys_that_cannot_be_sent_are_not() -> None:
    with pytest.raises(DataError) as refused:
        parsed('{"type":"map","values":"int"}').codec().encode({"\ud800" * 1000: 1})
    str(refused.value).encode()
    assert len(str(refused.value)) < 600


def test_the_codec_is_made_once() -> None:
    schema = parsed('"int"')
    assert schema.codec() is schema.codec("ignored")
