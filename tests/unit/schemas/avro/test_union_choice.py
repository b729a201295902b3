"""Union values with the name of their branch, and without it where there is no doubt."""

from __future__ import annotations

import json

import pytest

from riacho.schemas.parsed import DataError, Json
from unit.schemas.avro.frozen import parsed

R = {"type": "record", "name": "R", "fields": [{"name": "a", "type": "int"}]}
S = {"type": "record", "name": "n.S", "fields": [{"name": "a", "type": "int"}]}
OWN = {"type": "record", "name": "own", "fields": [{"name": "own", "type": "int"}]}
ARRAY, MAP = {"type": "array", "items": "int"}, {"type": "map", "values": "int"}
ENUM = {"type": "enum", "name": "E", "symbols": ["A"]}

CHOSEN: list[tuple[str, list[object], Json, int]] = [
    ("string", ["null", "string"], "x", 1),
    ("string that is the name of a branch", ["null", "string"], "string", 1),
    ("number into long", ["null", "long"], 5, 1),
    ("number into double", ["null", "double"], 5, 1),
    ("fraction into double", ["null", "double"], 5.5, 1),
    ("boolean", ["null", "int", "boolean"], True, 2),
    ("array", ["null", ARRAY], [1], 1),
    ("object into record", ["null", R], {"a": 1}, 1),
    ("object into map", ["null", MAP], {"a": 1, "b": 2}, 1),
    ("empty object into map", ["null", MAP], {}, 1),
    ("enum symbol", ["null", ENUM], "A", 1),
    ("each kind once", ["null", "boolean", "long", "string", ARRAY, R], {"a": 1}, 5),
    ("named although it need not be", ["null", R], {"R": {"a": 1}}, 1),
    ("named among several", ["int", "long"], {"long": 1}, 1),
    ("named by full name", [R, S], {"n.S": {"a": 1}}, 1),
    ("null by name", ["int", "null"], {"null": None}, 1),
    ("null", ["int", "string", "null"], None, 2),
    ("record whose field has its name, wrapped", ["null", OWN], {"own": {"own": 1}}, 1),
]


@pytest.mark.parametrize(("union", "value", "branch"), [case[1:] for case in CHOSEN], ids=[case[0] for case in CHOSEN])
def test_chosen(union: list[object], value: Json, branch: int) -> None:
    assert parsed(json.dumps(union)).codec().encode(value)[0] == branch * 2


SEVERAL = '%s could be of several branches of the union [%s]: name it, {"%s": ...}'
NONE = "expected a value of the union [%s], got %s"

REFUSED: list[tuple[str, list[object], Json, str]] = [
    ("number, two could take it", ["int", "double"], 5, SEVERAL % ("5", "int, double", "int")),
    ("string, two could take it", ["null", "string", ENUM], "A", SEVERAL % ('"A"', "null, string, E", "string")),
    ("object, two could take it", ["null", R, S], {"a": 1}, SEVERAL % ("an object", "null, R, n.S", "R")),
    ("nothing takes it", ["null", "int"], "x", NONE % ("null, int", '"x"')),
    ("no null", ["int", "string"], None, NONE % ("int, string", "null")),
    ("empty union", [], 1, NONE % ("", "1")),
    ("unknown name", ["null", "int"], {"string": "x"}, NONE % ("null, int", "an object")),
    ("name without namespace", [S, "null"], {"S": {"a": 1}}, "a: a value is required"),
    ("two names", ["null", "int", "string"], {"int": 1, "string": ""}, NONE % ("null, int, string", "an object")),
    ("wrong inside of the name", ["null", "int"], {"int": "x"}, 'int: expected int, got "x"'),
    ("the name wins over a record's field", ["null", OWN], {"own": 1}, "own: expected an object (record own), got 1"),
    ("out of range", ["null", "int"], 2**40, "1099511627776 is out of the range of int"),
]


@pytest.mark.parametrize(("union", "value", "said"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_refused(union: list[object], value: Json, said: str) -> None:
    with pytest.raises(DataError) as refused:
        parsed(json.dumps(union)).codec().encode(value)
    assert str(refused.value) == said
