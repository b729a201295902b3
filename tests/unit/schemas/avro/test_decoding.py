"""The JSON form of values, out; and payloads from strangers, which are refused before they cost anything."""

from __future__ import annotations

import json

import pytest

from riacho.schemas.avro.decoding import EMPTY_VALUES_MAX
from riacho.schemas.parsed import DataError, Json
from riacho.wire.varint import encode_zigzag as zigzag
from unit.schemas.avro.frozen import parsed
from unit.schemas.avro.test_encoding import E3, F2, LIST, NESTED, POINT

READ: list[tuple[str, object, bytes, Json]] = [
    ("union null", ["null", "string"], b"\0", None),
    ("union branch is named", ["null", "string"], b"\2\2a", {"string": "a"}),
    ("union of fixed by full name", ["null", F2], b"\2ab", {"n.F": "ab"}),
    ("bytes", "bytes", b"\4\xff\0", "\u00ff\u0000"),
    ("float is told as the double it is", "float", b"\xcd\xcc\x8c\x3f", 1.100000023841858),
    ("not a number", "float", b"\0\0\xc0\x7f", "NaN"),
    ("infinity", "double", b"\0\0\0\0\0\0\xf0\x7f", "Infinity"),
    ("minus infinity", "double", b"\0\0\0\0\0\0\xf0\xff", "-Infinity"),
    ("array in two blocks", {"type": "array", "items": "int"}, b"\2\2\4\4\6\0", [1, 2, 3]),
    ("array in a block that tells its size", {"type": "array", "items": "int"}, b"\3\4\2\4\0", [1, 2]),
    ("map in two blocks", {"type": "map", "values": "int"}, b"\2\2a\2\2\2b\4\0", {"a": 1, "b": 2}),
    ("map, a key twice", {"type": "map", "values": "int"}, b"\4\2a\2\2a\4\0", {"a": 2}),
    ("what is no UTF-8", "string", b"\4\xffa", "\ufffda"),
    ("bytes after the value", "int", b"\2\2\2", 1),
    ("number with idle bytes", "int", b"\x82\0", 1),
    ("record", POINT, b"\2\2b", {"x": 1, "y": "b"}),
    ("recursive", LIST, b"\2\2\4\0", {"v": 1, "next": {"L": {"v": 2, "next": None}}}),
    ("nulls", {"type": "array", "items": "null"}, b"\6\0", [None, None, None]),
]


@pytest.mark.parametrize(("schema", "payload", "value"), [case[1:] for case in READ], ids=[case[0] for case in READ])
def test_read(schema: object, payload: bytes, value: Json) -> None:
    codec = parsed(json.dumps(schema)).codec()
    assert codec.decode(payload) == value
    assert codec.decode(memoryview(b"..." + payload)[3:]) == value


EMPTY_RECORD = {"type": "record", "name": "Z", "fields": []}
REFUSED: list[tuple[str, object, bytes, str]] = [
    ("nothing", "int", b"", "the payload ends too early"),
    ("number without end", "long", b"\x80\x80", "the payload ends too early"),
    ("number of too many bytes", "long", b"\x80" * 10 + b"\1", "the payload has a number of more than 64 bits"),
    ("long as int", "int", zigzag(2**40), "1099511627776 is out of the range of int"),
    ("string too short", "string", b"\6ab", "the payload ends too early"),
    ("string of negative length", "string", b"\1", "the payload has a negative length, -1"),
    ("string of 2^62 bytes", "string", zigzag(2**62), "the payload ends too early"),
    ("bytes too short", "bytes", b"\2", "the payload ends too early"),
    ("fixed too short", F2, b"a", "the payload ends too early"),
    ("float too short", "float", b"\0\0\0", "the payload ends too early"),
    ("double too short", "double", b"", "the payload ends too early"),
    ("boolean of 2", "boolean", b"\2", "expected a boolean, the payload has byte 2"),
    ("enum beyond", E3, b"\6", "the payload names symbol 3 of enum E, which has 3"),
    ("enum before", E3, b"\1", "the payload names symbol -1 of enum E, which has 3"),
    ("union beyond", ["null", "int"], b"\4", "the payload names branch 2 of a union of 2"),
    ("union before", ["null", "int"], b"\1", "the payload names branch -1 of a union of 2"),
    ("nested", NESTED, b"\4\2\2b\2", "ps[1].y: the payload ends too early"),
    ("map value", {"type": "map", "values": "int"}, b"\2\2a", "a: the payload ends too early"),
    (
        "array of 2^62",
        {"type": "array", "items": "int"},
        zigzag(2**62) + b"\0" * 9,
        "[9]: the payload ends too early",
    ),
    ("array without end", {"type": "array", "items": "int"}, b"\2\2", "[1]: the payload ends too early"),
]


@pytest.mark.parametrize(
    ("schema", "payload", "said"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED]
)
def test_refused(schema: object, payload: bytes, said: str) -> None:
    with pytest.raises(DataError) as refused:
        parsed(json.dumps(schema)).codec().decode(payload)
    assert str(refused.value) == said


@pytest.mark.parametrize(
    ("items", "payload"),
    [
        ("null", zigzag(2**62)),
        ("null", zigzag(-(2**63)) + b"\0"),
        ({"type": "fixed", "name": "F", "size": 0}, zigzag(EMPTY_VALUES_MAX + 1)),
        (EMPTY_RECORD, zigzag(2**40)),
        ({"type": "array", "items": "null"}, zigzag(1_000) + (zigzag(1_000) + b"\0") * 1_000 + b"\0"),
    ],
    ids=["null", "null in a sized block", "fixed of no bytes", "empty record", "many times many"],
)
def test_values_of_no_bytes_are_counted(items: object, payload: bytes) -> None:
    with pytest.raises(DataError, match="values of no bytes"):
        parsed({"type": "array", "items": items}).codec().decode(payload)


def test_records_of_no_bytes_that_double_at_each_level() -> None:
    layers: list[object] = [{"type": "record", "name": "R0", "fields": []}]
    for at in range(1, 40):
        fields = [{"name": "a", "type": f"R{at - 1}"}, {"name": "b", "type": f"R{at - 1}"}]
        layers.append({"type": "record", "name": f"R{at}", "fields": fields})
    with pytest.raises(DataError, match="values of no bytes"):
        parsed(layers[::-1]).codec().decode(b"\0")


@pytest.mark.parametrize("payload", [b"\2\2" * 100_000, b"\2" * 1_000_000], ids=["100000 deep", "500000 deep"])
def test_a_payload_that_is_deeper_than_the_stack(payload: bytes) -> None:
    with pytest.raises(DataError, match="nested too deeply"):
        parsed(LIST).codec().decode(payload)


def test_a_type_that_never_ends() -> None:
    with pytest.raises(DataError, match="nested too deeply"):
        parsed('{"type":"record","name":"R","fields":[{"name":"r","type":"R"}]}').codec().decode(b"")
