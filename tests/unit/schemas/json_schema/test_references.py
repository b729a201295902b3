"""References to other schemas of the registry: found by name, and nothing is ever fetched."""

from __future__ import annotations

import pytest

from riacho.schemas.json_schema.schema import parse
from riacho.schemas.parsed import DataError, SchemaError, SchemaSource

STRING = {"type": "string"}
NUMBER = {"type": "number"}
MODERN = "https://json-schema.org/draft/2020-12/schema"


def _uses(ref: str, **more: object) -> dict[str, object]:
    return {"type": "object", "properties": {"a": {"$ref": ref}}, **more}


@pytest.mark.parametrize("draft", [None, "http://json-schema.org/draft-04/schema#", MODERN])
@pytest.mark.parametrize(
    ("ref", "name", "base"),
    [
        ("other.json", "other.json", None),
        ("./other.json", "other.json", None),
        ("other.json", "./other.json", None),
        ("other.json#", "other.json", None),
        ("other.json", "other.json", "http://example.com/schemas/this.json"),
        ("http://example.com/schemas/other.json", "other.json", "http://example.com/schemas/this.json"),
        ("http://example.com/other.json", "http://example.com/other.json", None),
        ("http://example.com/deep/other.json", "other.json", None),
        ("/deep/other.json", "deep/other.json", "http://example.com/"),
    ],
)
def test_found_by_its_name(schema, draft, ref, name, base):
    body = _uses(ref)
    if base is not None:
        body["id" if draft is not None and "draft-04" in draft else "$id"] = base
    of_strings = schema(body, draft, {name: STRING})
    of_numbers = schema(body, draft, {name: NUMBER})
    (told,) = of_numbers.differences(of_strings)
    assert told.startswith('{errorType:"TYPE_CHANGED"')
    assert "'#/properties/a'" in told
    assert of_strings.differences(of_strings) == []
    assert of_strings.codec().encode({"a": "x"}) == b'{"a":"x"}'
    with pytest.raises(DataError):
        of_numbers.codec().encode({"a": "x"})


def test_a_place_inside_a_reference(schema):
    other = {"definitions": {"k": {"type": "object", "properties": {"deep": {"$ref": "#/definitions/s"}}}, "s": STRING}}
    parsed = schema(_uses("other.json#/definitions/k"), None, {"other.json": other})
    assert parsed.codec().decode(b'{"a":{"deep":"x"}}') == {"a": {"deep": "x"}}
    with pytest.raises(DataError, match="#/a/deep"):
        parsed.codec().decode(b'{"a":{"deep":1}}')


def test_references_that_build_on_each_other(schema):
    resolved = {"c.json": STRING, "b.json": {"items": {"$ref": "c.json"}}}
    parsed = schema(_uses("b.json"), None, resolved)
    assert parsed.codec().encode({"a": ["x"]}) == b'{"a":["x"]}'
    with pytest.raises(DataError, match="#/a/0"):
        parsed.codec().encode({"a": [1]})
    assert parsed.differences(schema(_uses("b.json"), None, resolved | {"c.json": NUMBER})) != []


def test_references_that_lead_back(schema):
    resolved = {"b.json": {"type": "object", "properties": {"c": {"$ref": "c.json"}}}, "c.json": {"$ref": "b.json"}}
    parsed = schema(_uses("b.json"), None, resolved)
    assert parsed.differences(parsed) == []
    assert parsed.codec().encode({"a": {"c": {"c": {}}}}) == b'{"a":{"c":{"c":{}}}}'
    with pytest.raises(DataError, match="#/a/c/c"):
        parsed.codec().encode({"a": {"c": {"c": 1}}})


def test_a_reference_in_another_draft_stays_in_that(schema):
    tuple_of_then = {"$schema": "http://json-schema.org/draft-07/schema#", "items": [STRING], "additionalItems": False}
    parsed = schema(_uses("other.json"), MODERN, {"other.json": tuple_of_then})
    assert parsed.codec().encode({"a": ["x"]}) == b'{"a":["x"]}'
    with pytest.raises(DataError):
        parsed.codec().encode({"a": ["x", "y"]})


def test_anchors_and_ids_inside_a_reference(schema):
    other = {"$id": "http://example.com/elsewhere.json", "definitions": {"s": {"$id": "#anchor", "type": "string"}}}
    parsed = schema(_uses("other.json#anchor"), None, {"other.json": other})
    with pytest.raises(DataError):
        parsed.codec().encode({"a": 1})


def test_a_reference_that_nobody_uses_is_no_matter(schema):
    assert schema(STRING, None, {"other.json": NUMBER}).text == '{"type":"string"}'


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "The reference 'other.json' is not a JSON Schema: Invalid JSON"),
        ("[]", "The reference 'other.json' is not a JSON Schema: neither"),
        ('{"type":5}', "Invalid JSON Schema at #/type"),
        ('{"definitions":{}}', "Could not resolve the $ref 'other.json#/definitions/x'"),
        ('{"definitions":{"x":{"$ref":"third.json"}}}', "Could not resolve the $ref 'third.json'"),
    ],
)
def test_references_that_are_refused(text, reason):
    source = SchemaSource('{"$ref":"other.json#/definitions/x"}', resolved={"other.json": text})
    with pytest.raises(SchemaError) as failure:
        parse(source)
    assert reason in str(failure.value)


def test_a_name_is_not_the_end_of_another(schema):
    with pytest.raises(SchemaError, match=r"another\.json"):
        schema(_uses("another.json"), None, {"other.json": STRING})
