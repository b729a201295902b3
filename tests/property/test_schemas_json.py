"""JSON Schema: the compiled checks answer as the library does, and no text or value gets anything but its own error."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import NamedTuple

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from riacho.schemas.json_schema.library import validator_of
from riacho.schemas.json_schema.schema import JsonSchema, parse
from riacho.schemas.parsed import DataError, SchemaError, SchemaSource

# The same examples each time, and no verdict on how busy the machine is.
bounded = settings(deadline=None, derandomize=True, max_examples=100, suppress_health_check=list(HealthCheck))
DRAFTS = (
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
)
TYPES = ("string", "number", "integer", "boolean", "null", "object", "array")
names = st.sampled_from("abc")
small = st.integers(0, 4)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-3, 5)
    | st.sampled_from([0.5, 1.0, 2.5, 10**30])
    | st.text("ab1é", max_size=4)
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=3),
    max_leaves=6,
)


def _schemas(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    """Everyday keywords, and some that the compiled checks leave to the library."""
    members = st.dictionaries(names, inner, max_size=3)
    some = st.lists(inner, min_size=1, max_size=3)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(TYPES) | st.lists(st.sampled_from(TYPES), min_size=1, max_size=3, unique=True),
            "properties": members,
            "patternProperties": st.dictionaries(st.sampled_from(["^a", "b$", "[cd]", "(?=a)"]), inner, max_size=2),
            "additionalProperties": st.booleans() | inner,
            "required": st.lists(names, min_size=1, max_size=2, unique=True),
            "minProperties": small,
            "maxProperties": small,
            "items": inner,
            "additionalItems": inner,
            "prefixItems": some,
            "minItems": small,
            "maxItems": small,
            "minLength": small,
            "maxLength": small,
            "pattern": st.sampled_from(["^a", "b$", "\\d", "é"]),
            "minimum": small,
            "maximum": small,
            "enum": st.lists(scalars, min_size=1, max_size=3, unique_by=repr),
            "const": scalars,
            "allOf": some,
            "anyOf": some,
            "oneOf": some,
            "not": inner,
            "if": inner,
            "then": inner,
            "else": inner,
            "propertyNames": inner,
            "contains": inner,
            "uniqueItems": st.booleans(),
            "multipleOf": st.sampled_from([1, 2, 0.5]),
            "dependentRequired": st.just({"a": ["b"]}),
            "$ref": st.sampled_from(["#/definitions/d", "#/definitions/e"]),
        },
    )


schemas = st.recursive(
    st.sampled_from(TYPES).map(lambda name: {"type": name}) | st.just({}),
    _schemas,
    max_leaves=6,
)
documents = st.builds(
    lambda draft, body, one, other: {"$schema": draft, **body, "definitions": {"d": one, "e": other}},
    st.sampled_from(DRAFTS),
    schemas,
    st.sampled_from(TYPES).map(lambda name: {"type": name}),
    st.just({"type": ["object", "string"], "properties": {"a": {"$ref": "#/definitions/e"}}, "maxLength": 2}),
)


def _parsed(tree: object) -> JsonSchema | None:
    try:
        return parse(SchemaSource(json.dumps(tree)))
    except SchemaError:
        return None


@bounded
@given(documents, st.lists(values, min_size=1, max_size=6))
def test_the_compiled_checks_answer_as_the_library_does(tree, instances):
    schema = _parsed(tree)
    if schema is None:
        return
    codec = schema.codec()
    library = validator_of(schema._documents)
    for value in instances:
        expected = library.is_valid(value)
        try:
            payload = codec.encode(value)
        except DataError:
            assert not expected
        else:
            assert expected
            assert codec.decode(payload) == value


@bounded
@given(documents, documents)
def test_comparing_always_ends_and_everybody_reads_himself(one, other):
    first, second = _parsed(one), _parsed(other)
    if first is None or second is None:
        return
    assert first.differences(first) == []
    assert first.differences(parse(SchemaSource(first.text))) == []
    assert first.differences(first.normalized()) == []
    for told in first.differences(second) + second.differences(first):
        assert told.startswith('{errorType:"')
        assert told.endswith('"}')


@settings(bounded, max_examples=40)
@given(documents)
def test_texts_are_stable(tree):
    schema = _parsed(tree)
    if schema is None:
        return
    assert parse(SchemaSource(schema.text)).text == schema.text
    normal = schema.normalized()
    assert normal.normalized().text == normal.text
    assert json.loads(normal.text) == json.loads(schema.text) == tree
    assert parse(SchemaSource(json.dumps(tree, indent=3))).text == schema.text


class Evolution(NamedTuple):
    """A schema, what becomes of it, and a value that fits the first."""

    old: object
    new: object
    value: object


def _closed(members: dict[str, Evolution], required: bool, more: dict[str, object]) -> Evolution:
    """Objects that allow nothing but what they name, where the comparison must be right."""
    old = {
        "type": "object",
        "properties": {key: each.old for key, each in members.items()},
        "additionalProperties": False,
    }
    new = old | {"properties": {key: each.new for key, each in members.items()} | more}
    if required:
        old = old | {"required": sorted(members)}
    return Evolution(old, new, {key: each.value for key, each in members.items()})


def _any_of(members: list[Evolution]) -> Evolution:
    return Evolution(
        {"anyOf": [each.old for each in members]}, {"anyOf": [each.new for each in reversed(members)]}, members[0].value
    )


string_evolutions = st.builds(
    lambda low, high, new_low, new_high: Evolution(
        {"type": "string", "minLength": low, "maxLength": low + high},
        {"type": "string", "minLength": new_low, "maxLength": low + new_high},
        "a" * (low + high),
    ),
    *[small] * 4,
)
number_evolutions = st.builds(
    lambda name, new_name, low, new_low: Evolution(
        {"type": name, "minimum": low}, {"type": new_name, "minimum": new_low}, low
    ),
    *[st.sampled_from(["number", "integer"])] * 2,
    *[small] * 2,
)
enum_evolutions = st.builds(
    lambda some, more: Evolution({"enum": some}, {"enum": [*some[1:], *more]}, some[0]),
    st.lists(st.sampled_from("abc"), min_size=1, max_size=2, unique=True),
    st.lists(st.sampled_from("abc"), min_size=1, max_size=3, unique=True),
).filter(lambda each: len(set(each.new["enum"])) == len(each.new["enum"]))
type_evolutions = st.sampled_from(
    [
        Evolution({"type": "boolean"}, {"type": ["boolean", "null"]}, True),
        Evolution({"type": ["null", "string"]}, {"type": ["string", "null"]}, None),
        Evolution({"type": "string"}, {"type": "number"}, "x"),
        Evolution({"type": "number"}, {}, 1.5),
    ]
)
evolutions = st.recursive(
    string_evolutions | number_evolutions | enum_evolutions | type_evolutions,
    lambda inner: (
        st.builds(
            _closed,
            st.dictionaries(names, inner, max_size=2),
            st.booleans(),
            st.dictionaries(st.just("d"), st.just({"type": "string"}), max_size=1),
        )
        | inner.map(
            lambda each: Evolution(
                {"type": "array", "items": each.old}, {"type": "array", "items": each.new}, [each.value]
            )
        )
        | st.lists(inner, min_size=1, max_size=2).map(_any_of)
    ),
    max_leaves=4,
)


@bounded
@given(evolutions, st.lists(values, max_size=5))
def test_who_can_read_reads_everything(evolution, instances):
    writer, reader = parse(SchemaSource(json.dumps(evolution.old))), parse(SchemaSource(json.dumps(evolution.new)))
    writer.codec().encode(evolution.value)
    if reader.differences(writer):
        return
    for value in (evolution.value, *instances):
        try:
            payload = writer.codec().encode(value)
        except DataError:
            continue
        assert reader.codec().decode(payload) == value


@bounded
@given(st.text(max_size=30) | st.text('{}[]":,truefalsn0123456789.e-$ref#/\\u ', max_size=40))
def test_any_text_is_a_schema_or_a_schema_error(text):
    with suppress(SchemaError):
        parse(SchemaSource(text))


@bounded
@given(
    st.dictionaries(
        st.sampled_from(["type", "$ref", "$id", "properties", "items", "enum", "pattern", "definitions"]), values
    )
)
def test_any_value_of_a_keyword_is_a_schema_or_a_schema_error(tree):
    schema = _parsed(tree)
    if schema is not None:
        assert schema.differences(schema) == []


@bounded
@given(st.binary(max_size=30) | st.text('{}[]":,truefalsn0123456789.e-', max_size=30).map(str.encode))
def test_any_bytes_are_read_or_a_data_error(payload):
    codec = parse(SchemaSource("true")).codec()
    with suppress(DataError):
        assert codec.decode(codec.encode(codec.decode(payload))) == codec.decode(payload)
