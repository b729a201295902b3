"""What the registry stores and compares: the text without spaces, with keys, strings and digits as they were given."""

from __future__ import annotations

import pytest

from riacho.schemas.json_schema.schema import parse
from riacho.schemas.parsed import Reference, SchemaSource


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("true", "true"),
        (" false\n", "false"),
        ("{ }", "{}"),
        ('{ "type" : "string" }', '{"type":"string"}'),
        ('{"b": [ ], "a": [1, {"d": null}]}', '{"b":[],"a":[1,{"d":null}]}'),
        ('{"minimum":1,\n\t"maximum":2}', '{"minimum":1,"maximum":2}'),
        # Decimals keep their digits; Java writes exponents its own way.
        ('{"maximum":1.0}', '{"maximum":1.0}'),
        ('{"maximum":1.50}', '{"maximum":1.50}'),
        ('{"maximum":0.1}', '{"maximum":0.1}'),
        ('{"maximum":1e2}', '{"maximum":1E+2}'),
        ('{"maximum":1.5e10}', '{"maximum":1.5E+10}'),
        ('{"maximum":1e-7}', '{"maximum":1E-7}'),
        ('{"maximum":-0.0}', '{"maximum":0.0}'),
        ('{"maximum":-0}', '{"maximum":0}'),
        ('{"maximum":123456789012345678901234567890}', '{"maximum":123456789012345678901234567890}'),
        ('{"maximum":0.1234567890123456789012}', '{"maximum":0.1234567890123456789012}'),
        # Strings: what must be escaped is, in upper case; all else stands as it is.
        ('{"title":"\\u00e9\\u0041"}', '{"title":"éA"}'),
        ('{"title":"a\\/b"}', '{"title":"a/b"}'),
        ('{"title":"\\u001f\\u0008\\t\\n\\f\\r"}', '{"title":"\\u001F\\b\\t\\n\\f\\r"}'),
        ('{"title":"\\"\\\\"}', '{"title":"\\"\\\\"}'),
        ('{"title":"\\ud83d\\ude00"}', '{"title":"😀"}'),
        ('{"title":"\u2028"}', '{"title":"\u2028"}'),
        # The last of two that are the same counts, where the first stood.
        ('{"type":"string","title":"x","type":"number"}', '{"type":"number","title":"x"}'),
    ],
)
def test_the_text_of_a_schema(schema, text, canonical):
    assert schema(text).text == canonical
    assert schema(canonical).text == canonical


@pytest.mark.parametrize(
    ("text", "normalized"),
    [
        ("true", "true"),
        ('{"type":"object","properties":{"b":{"type":"string"},"a":true}}',
         '{"properties":{"a":true,"b":{"type":"string"}},"type":"object"}'),
        ('{"required":["b","a"],"enum":[{"y":1,"x":2.50}]}', '{"enum":[{"x":2.50,"y":1}],"required":["b","a"]}'),
        ('{"Z":1,"a":2,"A":3,"_":4,"é":5}', '{"A":3,"Z":1,"_":4,"a":2,"é":5}'),
        # By UTF-16 units: a surrogate comes before the private use area.
        ('{"\ue000":1,"😀":2}', '{"😀":2,"\ue000":1}'),
    ],
)  # fmt: skip
def test_the_normal_form(schema, text, normalized):
    assert schema(text).normalized().text == normalized
    assert schema(text).normalized().normalized().text == normalized


def test_normal_references_are_in_order_and_each_once():
    one, two, three = Reference("c", "a", 2), Reference("b", "a", 1), Reference("a", "b", 1)
    parsed = parse(
        SchemaSource("true", references=[three, one, two, one], resolved={"a": "true", "b": "{}", "c": "{}"})
    )
    assert parsed.references == (three, one, two, one)
    assert parsed.normalized().references == (two, one, three)
    assert parsed.normalized().resolved == parsed.resolved


def test_the_same_meaning_has_the_same_normal_form(schema):
    one = schema('{"type": "object", "properties": {"a": {"type": "string"}}}')
    other = schema('{"properties":{"a":{"type":"string"}},"type":"object"}')
    assert one.text != other.text
    assert one.normalized().text == other.normalized().text


def test_any_form_is_the_text_itself(schema):
    parsed = schema('{"type": "string"}')
    assert parsed.formatted("") == parsed.formatted("serialized") == parsed.formatted("resolved") == '{"type":"string"}'


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('{"title":"Order"}', "Order"),
        ("{}", None),
        ("true", None),
        ('{"properties":{"title":{"type":"string"}}}', None),
    ],
)
def test_the_name_is_the_title(schema, text, name):
    assert schema(text).name == name


def test_what_it_says_of_itself(schema):
    assert schema("{}").schema_type == "JSON"
    assert schema("{}").references == ()
    assert dict(schema("{}").resolved) == {}
