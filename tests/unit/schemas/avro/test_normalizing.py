"""Schemas of equal meaning have equal text when normalised, the text that Confluent's registry would store."""

from __future__ import annotations

import json
from typing import Any

import pytest

from riacho.schemas.avro.schema import parse
from riacho.schemas.parsed import Reference, SchemaSource
from unit.schemas.avro.frozen import cases, parsed


@pytest.mark.parametrize("case", [case for case in cases("texts") if case.values[0].get("normalized", "") is not None])  # type: ignore[union-attr]
def test_normalized(case: dict[str, Any]) -> None:
    schema = parsed(case["schema"], *case.get("references", ()))
    assert schema.normalized().text == case.get("normalized", case["text"])


@pytest.mark.parametrize("case", cases("texts"))
def test_what_is_normalized_stays(case: dict[str, Any]) -> None:
    normalized = parsed(case["schema"], *case.get("references", ())).normalized()
    assert normalized.normalized().text == normalized.text


def _record(**attributes: object) -> str:
    field = {"name": "a", "type": "int"}
    return json.dumps({"type": "record", "name": "n.R", "fields": [field], **attributes})


SAME = {
    "properties in another order": (_record(b=1, a=2), _record(a=2, b=1)),
    "keys inside of a property": (
        _record(p={"y": [{"d": 1, "c": 2}], "x": 0}),
        _record(p={"x": 0, "y": [{"c": 2, "d": 1}]}),
    ),
    "aliases in another order": (_record(aliases=["T", "S"]), _record(aliases=["S", "n.T"])),
    "empty doc": (_record(doc=""), _record()),
    "error": (_record(type="error"), _record()),
    "int for a double": (
        '{"type":"record","name":"R","fields":[{"name":"a","type":"double","default":1}]}',
        '{"type":"record","name":"R","fields":[{"name":"a","type":"double","default":1.0}]}',
    ),
    "keys of a default": (
        '{"type":"record","name":"R","fields":[{"name":"a","type":{"type":"map","values":"int"},"default":{"b":1,"a":2}}]}',
        '{"type":"record","name":"R","fields":[{"name":"a","type":{"type":"map","values":"int"},"default":{"a":2,"b":1}}]}',
    ),
    "logical type first": (
        '{"type":"bytes","scale":2,"precision":4,"a":1,"logicalType":"decimal"}',
        '{"logicalType":"decimal","a":1,"precision":4,"type":"bytes","scale":2}',
    ),
}


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME)
def test_the_same(one: str, other: str) -> None:
    assert parsed(one).text != parsed(other).text
    assert parsed(one).normalized().text == parsed(other).normalized().text


DIFFERENT = {
    "field order": (
        '{"type":"record","name":"R","fields":[{"name":"a","type":"int"},{"name":"b","type":"int"}]}',
        '{"type":"record","name":"R","fields":[{"name":"b","type":"int"},{"name":"a","type":"int"}]}',
    ),
    "symbol order": (
        '{"type":"enum","name":"E","symbols":["A","B"]}',
        '{"type":"enum","name":"E","symbols":["B","A"]}',
    ),
    "branch order": ('["null","int"]', '["int","null"]'),
    "doc": (_record(doc="x"), _record()),
    "scale": (
        '{"type":"bytes","logicalType":"decimal","precision":4,"scale":1}',
        '{"type":"bytes","logicalType":"decimal","precision":4,"scale":2}',
    ),
    "default": (
        '{"type":"record","name":"R","fields":[{"name":"a","type":"int","default":1}]}',
        '{"type":"record","name":"R","fields":[{"name":"a","type":"int","default":2}]}',
    ),
}


@pytest.mark.parametrize(("one", "other"), DIFFERENT.values(), ids=DIFFERENT)
def test_not_the_same(one: str, other: str) -> None:
    assert parsed(one).normalized().text != parsed(other).normalized().text


def test_a_type_without_namespace_inside_of_one_keeps_none() -> None:
    schema = parsed(
        '{"type":"record","name":"n.R","fields":[{"name":"a","type":{"type":"fixed","name":"F","namespace":"","size":1}}]}'
    )
    assert '"name":"F","namespace":""' in schema.normalized().text


def test_a_default_of_a_later_branch_stays() -> None:
    schema = parsed('{"type":"record","name":"R","fields":[{"name":"a","type":["null","string"],"default":"x"}]}')
    assert schema.normalized().text == schema.text


def test_references_are_sorted_and_each_is_there_once() -> None:
    first, second = Reference("x.A", "a", 2), Reference("x.B", "b", 1)
    resolved = {"x.A": '{"type":"fixed","name":"x.A","size":1}', "x.B": '{"type":"fixed","name":"x.B","size":1}'}
    schema = parse(SchemaSource('["x.A","x.B"]', (second, first, second), resolved))
    assert schema.references == (second, first, second)
    assert schema.normalized().references == (first, second)
    assert schema.normalized().text == '["x.A","x.B"]'
    assert schema.normalized().resolved == resolved


def test_a_wrong_default_that_is_stored_can_be_normalized() -> None:
    text = '{"type":"record","name":"R","fields":[{"name":"a","type":"int","default":"x"}]}'
    assert parse(SchemaSource(text, is_new=False)).normalized().text == text
