"""The comparison itself: recursion, pairs, bounds, and how the registry words what it finds."""

from __future__ import annotations

import re

import pytest

from riacho.schemas.json_schema.difference import COMPATIBLE, Difference, Kind
from riacho.schemas.json_schema.matching import largest_matching
from riacho.schemas.json_schema.wording import SENTENCE_OF, difference_text
from riacho.schemas.parsed import ParsedSchema

STRING = {"type": "string"}
NUMBER = {"type": "number"}


@pytest.mark.parametrize(
    ("edges", "right_size", "size"),
    [
        ([], 0, 0),
        ([[]], 0, 0),
        ([[0]], 1, 1),
        ([[0], [0]], 1, 1),
        ([[0, 1], [0]], 2, 2),
        ([[0], [0, 1], [1, 2]], 3, 3),
        ([[0, 1, 2], [0, 1], [0]], 3, 3),
        ([[0, 1], [0, 1], [0, 1]], 2, 2),
        ([[2], [2], [0, 1]], 3, 2),
    ],
)
def test_as_many_pairs_as_there_can_be(edges, right_size, size):
    matching = largest_matching(edges, right_size)
    assert len(matching) == size
    assert len(set(matching.values())) == size
    assert all(right in edges[left] for left, right in matching.items())


def test_a_long_chain_of_pairs_that_all_move_on():
    count = 2_000
    edges = [[place, place - 1] if place else [0] for place in range(count)]
    assert len(largest_matching([*edges[1:], [0]], count)) == count


def _of_kinds(count: int, identified_by: str) -> dict[str, object]:
    """Kinds of things that may each hold any of the others."""
    names = [f"kind_{place}" for place in range(count)]
    any_of_them = {"oneOf": [{"$ref": f"#/definitions/{name}"} for name in names]}
    definitions = {
        name: {"type": "object", "properties": {"id": STRING, "left": any_of_them, "right": any_of_them}}
        for name in names
    }
    definitions["kind_0"]["properties"]["id"] = {"type": identified_by}
    return {"type": "object", "definitions": definitions, "properties": {"root": any_of_them}}


def test_many_kinds_that_hold_each_other(schema):
    assert schema(_of_kinds(7, "string")).differences(schema(_of_kinds(7, "string"))) == []


def test_a_change_among_kinds_that_hold_each_other_is_not_lost(schema):
    assert schema(_of_kinds(6, "number")).differences(schema(_of_kinds(6, "string"))) != []


def _cycle(first: str, second: str) -> dict[str, object]:
    def holder(identified_by: str, held: str) -> dict[str, object]:
        of_one = {"oneOf": [{"$ref": f"#/definitions/{held}"}]}
        return {"type": "object", "properties": {"id": {"type": identified_by}, "held": of_one}}

    definitions = {"a": holder(first, "c"), "b": holder(second, "c"), "c": holder("integer", "a")}
    root = {"oneOf": [{"$ref": "#/definitions/a"}, {"$ref": "#/definitions/b"}]}
    return {"type": "object", "definitions": definitions, "properties": {"root": root}}


def test_what_was_trusted_in_a_cycle_is_looked_at_again(schema):
    """One pass would take the pair that it is in the middle of for fitting, and keep what it concluded from that."""
    differences = schema(_cycle("boolean", "number")).differences(schema(_cycle("integer", "boolean")))
    assert [re.match(r'\{errorType:"(\w+)"', text)[1] for text in differences] == ["COMBINED_TYPE_SUBSCHEMAS_CHANGED"]


def _doubling(levels: int, leaf: object) -> dict[str, object]:
    definitions: dict[str, object] = {f"level_{levels}": leaf}
    for level in range(levels):
        below = {"$ref": f"#/definitions/level_{level + 1}"}
        definitions[f"level_{level}"] = {"properties": {"left": below, "right": below}}
    return {"$ref": "#/definitions/level_0", "definitions": definitions}


def test_shared_definitions_do_not_double_the_work(schema):
    differences = schema(_doubling(60, NUMBER)).differences(schema(_doubling(60, STRING)))
    assert 0 < len(differences) <= 200
    assert schema(_doubling(60, NUMBER)).differences(schema(_doubling(60, {"type": "integer"}))) == []


def test_more_alternatives_than_anyone_has_are_not_compared(schema, monkeypatch):
    monkeypatch.setattr("riacho.schemas.json_schema.comparison.PAIRS_MAX", 100)
    many = {"anyOf": [{"properties": {f"p{place}": STRING}} for place in range(11)]}
    (reason,) = schema(many).differences(schema(many | {"title": "other"}))
    assert "too complex to be compared" in reason


def test_a_schema_of_another_kind_is_not_compared(schema):
    class Other(ParsedSchema):
        name = None
        schema_type = "AVRO"
        text = '"string"'
        normalized = formatted = differences = codec = None

    assert schema("true").differences(Other()) == ["Incompatible because of different schema type"]


def test_every_difference_that_forbids_has_a_sentence():
    assert set(Kind) - COMPATIBLE <= set(SENTENCE_OF)


PATH = "'#/properties/foo'"


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (
            Kind.OPTIONAL_PROPERTY_ADDED_TO_OPEN_CONTENT_MODEL,
            f"The new schema has an open content model and has a property or item at path {PATH} "
            "which is missing in the old schema",
        ),
        (
            Kind.REQUIRED_PROPERTY_ADDED_TO_UNOPEN_CONTENT_MODEL,
            f"The new schema has an unopen content model and has a required property at path {PATH} "
            "which is missing in the old schema",
        ),
        (
            Kind.PROPERTY_REMOVED_FROM_CLOSED_CONTENT_MODEL,
            "The new schema has a closed content model and is missing a property or item present "
            f"at path {PATH} in the old schema",
        ),
        (Kind.TYPE_CHANGED, f"A type at path {PATH} is different between the new schema and the old schema"),
        (Kind.MAX_LENGTH_ADDED, f"The keyword at path {PATH} in the new schema is not present in the old schema"),
        (
            Kind.MINIMUM_INCREASED,
            f"The value at path {PATH} in the new schema is more than its value in the old schema",
        ),
        (
            Kind.MAXIMUM_DECREASED,
            f"The value at path {PATH} in the new schema is less than its value in the old schema",
        ),
        (Kind.PATTERN_CHANGED, f"The value at path {PATH} is different between the new and old schema"),
    ],
)
def test_how_it_is_told(kind, text):
    assert (
        difference_text(Difference(kind, ("properties", "foo"))) == f'{{errorType:"{kind.name}", description:"{text}"}}'
    )


def test_the_root_is_a_place_too():
    assert "path '#/'" in difference_text(Difference(Kind.TYPE_CHANGED))
