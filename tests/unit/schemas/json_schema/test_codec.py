"""Values to bytes and back, both checked against the schema."""

from __future__ import annotations

import pytest

from riacho.schemas.parsed import DataError

DRAFT_4 = "http://json-schema.org/draft-04/schema#"
MODERN = "https://json-schema.org/draft/2020-12/schema"
ORDER = {
    "type": "object",
    "properties": {
        "id": {"type": "integer"},
        "name": {"type": "string", "maxLength": 5},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["id"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("value", "payload"),
    [
        ({"id": 1}, b'{"id":1}'),
        ({"id": 1, "name": "é"}, '{"id":1,"name":"é"}'.encode()),
        ({"name": "x", "id": 2, "tags": []}, b'{"name":"x","id":2,"tags":[]}'),
        ({"id": 10**30}, b'{"id":1000000000000000000000000000000}'),
    ],
)
def test_there_and_back(schema, value, payload):
    codec = schema(ORDER).codec()
    assert codec.encode(value) == payload
    assert codec.decode(payload) == value
    assert codec.decode(memoryview(payload)) == value


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({}, "at #/: 'id' is a required property"),
        ({"id": "x"}, "at #/id: 'x' is not of type 'integer'"),
        ({"id": True}, "at #/id: True is not of type 'integer'"),
        ({"id": 1, "name": "abcdef"}, "at #/name: 'abcdef' is too long"),
        ({"id": 1, "tags": ["a", 1]}, "at #/tags/1: 1 is not of type 'string'"),
        ({"id": 1, "more": 1}, "at #/: Additional properties are not allowed ('more' was unexpected)"),
        ([], "at #/: [] is not of type 'object'"),
        (None, "at #/: None is not of type 'object'"),
    ],
)
def test_what_does_not_fit_is_neither_written_nor_read(schema, value, reason):
    codec = schema(ORDER).codec()
    with pytest.raises(DataError) as failure:
        codec.encode(value)
    assert reason in str(failure.value)
    with pytest.raises(DataError) as failure:
        codec.decode(schema("true").codec().encode(value))
    assert reason in str(failure.value)


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"{",
        b"{} {}",
        b"\xff",
        b'"\xff"',
        b"NaN",
        b"1e999",
        b"[" * 100_000,
        b'"\\ud800"',
        b"\x00\x00\x00\x00\x01{}",
    ],
    ids=lambda payload: repr(payload[:12]),
)
def test_bytes_that_are_no_json(schema, payload):
    with pytest.raises(DataError, match="not JSON"):
        schema("true").codec().decode(payload)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {"a": [float("-inf")]}, "\ud800", {"a": object()}])
def test_values_that_json_has_not(schema, value):
    with pytest.raises(DataError, match="has no JSON form"):
        schema("true").codec().encode(value)


def test_null_is_a_value_like_any(schema):
    codec = schema({"type": ["object", "null"]}).codec()
    assert codec.encode(None) == b"null"
    assert codec.decode(b"null") is None
    assert codec.encode({"a": None}) == b'{"a":null}'


def test_a_value_too_deep_to_be_checked(schema):
    value: list[object] = []
    for _ in range(5_000):
        value = [value]
    with pytest.raises(DataError):
        schema({"type": "array", "items": {"$ref": "#"}}).codec().encode(value)


def test_a_reference_to_itself_checks_nothing_but_says_so(schema):
    with pytest.raises(DataError, match="cannot be checked"):
        schema({"$ref": "#"}).codec().encode(1)


def test_numbers_too_large_for_a_double(schema):
    with pytest.raises(DataError):
        schema({"multipleOf": 0.5}).codec().encode(10**400)


def test_a_long_value_is_not_told_whole(schema):
    with pytest.raises(DataError) as failure:
        schema({"type": "integer"}).codec().encode("x" * 100_000)
    assert len(str(failure.value)) < 500


def test_it_is_made_once(schema):
    parsed = schema(ORDER)
    assert parsed.codec() is parsed.codec("ignored")


@pytest.mark.parametrize(
    ("draft", "body", "fits", "does_not"),
    [
        (None, {"pattern": "^\\p{Lu}"}, ["É", 5], ["é"]),
        (None, {"pattern": "^(?!x)"}, ["y"], ["x"]),
        (None, {"pattern": "a$"}, ["ba"], ["ba\n"]),
        (None, {"patternProperties": {"^\\p{Lu}": {"type": "string"}}}, [{"É": "x", "é": 1}], [{"É": 1}]),
        (None, {"patternProperties": {"^x": True}, "additionalProperties": False}, [{"xa": 1}], [{"a": 1}]),
        (None, {"uniqueItems": True}, [[1, True]], [[1, 1.0]]),
        (None, {"multipleOf": 0.5}, [1.5, "x"], [1.25]),
        (None, {"dependencies": {"a": ["b"]}}, [{"b": 1}], [{"a": 1}]),
        (None, {"contains": {"type": "string"}}, [[1, "x"]], [[1]]),
        (None, {"propertyNames": {"maxLength": 2}}, [{"ab": 1}], [{"abc": 1}]),
        (None, {"if": {"type": "string"}, "then": {"maxLength": 1}, "else": {"minimum": 3}}, ["a", 3], ["ab", 2]),
        (None, {"$ref": "#/definitions/s", "maximum": 1, "definitions": {"s": {"type": "integer"}}}, [5], ["x"]),
        (None, {"format": "date"}, ["no date"], []),
        (DRAFT_4, {"maximum": 5, "exclusiveMaximum": True}, [4], [5]),
        (DRAFT_4, {"type": "integer"}, [1], [1.0]),
        (DRAFT_4, {"additionalProperties": False}, [{}], [{"a": 1}]),
        (None, {"type": "integer"}, [1, 1.0], [1.5, True]),
        (MODERN, {"prefixItems": [{"type": "string"}], "items": False}, [["x"], []], [[1], ["x", 1]]),
        (MODERN, {"prefixItems": [{"type": "string"}], "items": {"type": "null"}}, [["x", None]], [["x", 1]]),
        (MODERN, {"dependentRequired": {"a": ["b"]}}, [{"b": 1}], [{"a": 1}]),
        (MODERN, {"properties": {"a": True}, "unevaluatedProperties": False}, [{"a": 1}], [{"b": 1}]),
        (MODERN, {"$ref": "#/$defs/s", "maximum": 9, "$defs": {"s": {"type": "integer"}}}, [5], ["x", 10]),
        (MODERN, {"$dynamicRef": "#n", "$defs": {"n": {"$dynamicAnchor": "n", "type": "null"}}}, [None], [1]),
        (MODERN, {"const": {"a": [1, True]}}, [{"a": [1.0, True]}], [{"a": [1, 1]}]),
    ],
)
def test_what_each_keyword_lets_pass(schema, draft, body, fits, does_not):
    codec = schema(body, draft).codec()
    for value in fits:
        assert codec.decode(codec.encode(value)) == value
    for value in does_not:
        with pytest.raises(DataError, match="does not fit the schema"):
            codec.encode(value)
