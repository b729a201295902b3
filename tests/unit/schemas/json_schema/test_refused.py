"""Texts that are no JSON Schema, or would hurt who reads them: each is refused with one sentence, and quickly."""

from __future__ import annotations

import pytest

from riacho.schemas.formats import parse as parse_any
from riacho.schemas.json_schema.schema import parse
from riacho.schemas.parsed import SchemaError, SchemaSource

MODERN = '"$schema":"https://json-schema.org/draft/2020-12/schema"'
DRAFT_4 = '"$schema":"http://json-schema.org/draft-04/schema#"'


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "Invalid JSON: Expecting value at line 1, column 1"),
        ("   ", "Invalid JSON"),
        ("\0", "Invalid JSON"),
        ("\ufeff{}", "Invalid JSON"),
        ("{", "Invalid JSON"),
        ("{} {}", "Invalid JSON: Extra data"),
        ("{'type':'string'}", "Invalid JSON"),
        ('{"type":"string",}', "Invalid JSON"),
        ('{"maximum":NaN}', "Invalid JSON: NaN is no value"),
        ('{"maximum":-Infinity}', "Invalid JSON"),
        ('{"title":"\\ud800"}', "half a surrogate pair"),
        ('{"title":"\ud800"}', "half a surrogate pair"),
        ('"string"', "neither an object nor true or false"),
        ("[]", "neither an object nor true or false"),
        ("null", "neither an object nor true or false"),
        ("5", "neither an object nor true or false"),
        ('{"type":"strng"}', "Invalid JSON Schema at #/type: 'strng'"),
        ('{"type":5}', "Invalid JSON Schema at #/type"),
        ('{"type":[]}', "Invalid JSON Schema at #/type"),
        ('{"properties":[]}', "Invalid JSON Schema at #/properties"),
        ('{"properties":{"a":5}}', "Invalid JSON Schema at #/properties/a"),
        ('{"required":"a"}', "Invalid JSON Schema at #/required"),
        ('{"properties":{"a":{"required":true}}}', "Invalid JSON Schema at #/properties/a/required"),
        ('{"minLength":-1}', "Invalid JSON Schema at #/minLength"),
        ('{"minLength":"1"}', "Invalid JSON Schema at #/minLength"),
        ('{"multipleOf":0}', "Invalid JSON Schema at #/multipleOf"),
        ('{"allOf":[]}', "Invalid JSON Schema at #/allOf"),
        ('{"allOf":{}}', "Invalid JSON Schema at #/allOf"),
        ('{"enum":5}', "Invalid JSON Schema at #/enum"),
        ('{"title":5}', "Invalid JSON Schema at #/title"),
        ('{"$id":5}', "Invalid JSON Schema at #/$id"),
        ('{"$ref":5}', "Invalid JSON Schema at #/$ref"),
        ('{"pattern":"["}', "Invalid JSON Schema at #/pattern: '[' is not a 'regex'"),
        ('{"pattern":"(?<a"}', "Invalid JSON Schema at #/pattern"),
        ('{"patternProperties":{"*":{}}}', "Invalid JSON Schema at #/patternProperties"),
        ('{"exclusiveMaximum":true}', "Invalid JSON Schema at #/exclusiveMaximum"),
        ("{" + DRAFT_4 + ',"exclusiveMaximum":5}', "Invalid JSON Schema at #/exclusiveMaximum"),
        ("{" + DRAFT_4 + ',"properties":{"a":true}}', "Invalid JSON Schema at #/properties/a"),
        ("{" + DRAFT_4 + ',"patternProperties":{"[":{}}}', "Invalid regular expression '['"),
        ("{" + MODERN + ',"prefixItems":{}}', "Invalid JSON Schema at #/prefixItems"),
        ("{" + MODERN + ',"items":[]}', "Invalid JSON Schema at #/items"),
        ("{" + MODERN + ',"$defs":{"a":{"type":"x"}}}', "Invalid JSON Schema at #/$defs/a/type"),
        ("{" + MODERN + ',"$defs":{"a":{"$ref":"#/$defs/b"}}}', "Could not resolve the $ref '#/$defs/b'"),
        ("{" + MODERN + ',"$dynamicRef":"#nowhere"}', "Could not resolve the $ref '#nowhere'"),
        ('{"$ref":"#/definitions/a"}', "Could not resolve the $ref '#/definitions/a'"),
        ('{"$ref":"#a"}', "Could not resolve the $ref '#a'"),
        ('{"if":{"$ref":"#/x"}}', "Could not resolve the $ref '#/x'"),
        ('{"contains":{"$ref":"#/x"}}', "Could not resolve the $ref '#/x'"),
        ('{"propertyNames":{"$ref":"#/x"}}', "Could not resolve the $ref '#/x'"),
        ('{"items":[{"$ref":"#/items/1"}]}', "Could not resolve the $ref '#/items/1'"),
        ('{"$ref":"other.json"}', "Could not resolve the $ref 'other.json'"),
        ('{"$ref":"http://127.0.0.1:1/x.json"}', "Could not resolve the $ref 'http://127.0.0.1:1/x.json'"),
        ('{"$ref":"file:///etc/passwd"}', "Could not resolve the $ref 'file:///etc/passwd'"),
        ('{"$ref":"http://[x"}', "Could not resolve the $ref"),
        ('{"$id":"http://[x","not":{"$ref":"b"}}', "Invalid $id"),
        ('{"title":"x","not":{"$ref":"#/title"}}', "The $ref '#/title' does not lead to a schema"),
        ('{"other":{"type":7},"not":{"$ref":"#/other"}}', "Invalid JSON Schema at #/type"),
    ],
)
def test_what_is_no_schema(text, reason):
    with pytest.raises(SchemaError) as failure:
        parse(SchemaSource(text))
    assert reason in str(failure.value)
    assert "\n" not in str(failure.value)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"not":' * 100_000 + "true" + "}" * 100_000,
        '{"not":' * 299 + "true" + "}" * 299,
        '{"properties":{"a":' * 140 + "true" + "}}" * 140,
        "{" + MODERN + ',"not":' + '{"properties":{"a":' * 140 + "true" + "}}" * 140 + "}",
        '{"maximum":' + "9" * 5_000 + "}",
        '{"maximum":1e400}',
        '{"maximum":-1e309}',
        '{"multipleOf":1e-99999999}',
        '{"pattern":"' + "a" * 20_000 + '"}',
        '{"default":' + "[" * 250 + "]" * 250 + ',"not":' + '{"not":' * 250 + "true" + "}" * 251,
    ],
    ids=lambda text: f"{text[:20]} of {len(text)}",
)
def test_what_would_hurt(text):
    with pytest.raises(SchemaError) as failure:
        parse(SchemaSource(text))
    assert len(str(failure.value)) < 500


@pytest.mark.parametrize(
    "text",
    [
        '{"$ref":"#"}',
        '{"definitions":{"a":{"$ref":"#/definitions/b"},"b":{"$ref":"#/definitions/a"}},"$ref":"#/definitions/a"}',
        '{"not":' * 60 + "true" + "}" * 60,
        '{"maximum":' + "9" * 999 + "}",
        '{"pattern":"(a+)+$","patternProperties":{"(?=a)b":{},"\\\\p{Lu}":{}}}',
        '{"$schema":"http://example.com/no-draft","type":"string"}',
        '{"$schema":5,"x":1}'.replace("5", '"http://json-schema.org/schema#"'),
        '{"$ref":"http://json-schema.org/draft-07/schema#"}',
        '{"x-unknown":{"type":7},"title":""}',
        '{"properties":{"$ref":{"type":"string"},"$id":{},"$schema":{},"definitions":{}}}',
    ],
)
def test_what_looks_worse_than_it_is(text):
    parsed = parse(SchemaSource(text))
    assert parsed.differences(parsed) == []
    assert parsed.codec() is not None


def test_the_other_door_is_the_same():
    assert parse_any("json", SchemaSource("{ }")).text == "{}"
    with pytest.raises(SchemaError):
        parse_any("JSON", SchemaSource("{"))
