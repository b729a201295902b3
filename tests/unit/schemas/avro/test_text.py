"""The canonical text is the one that Java prints, byte for byte; so is the one with references written out."""

from __future__ import annotations

from typing import Any

import pytest

from unit.schemas.avro.frozen import cases, parsed


@pytest.mark.parametrize("case", cases("texts"))
def test_text(case: dict[str, Any]) -> None:
    assert parsed(case["schema"], *case.get("references", ())).text == case["text"]


# An alias outside of namespaces is printed without its dot, by Java as well: it moves when it is read again.
STABLE = [case for case in cases("texts") if case.id != "aliases of other namespaces"]


@pytest.mark.parametrize("case", STABLE)
def test_text_is_read_and_printed_the_same_again(case: dict[str, Any]) -> None:
    assert parsed(case["text"], *case.get("references", ())).text == case["text"]


@pytest.mark.parametrize("case", cases("texts"))
def test_resolved(case: dict[str, Any]) -> None:
    schema = parsed(case["schema"], *case.get("references", ()))
    assert schema.formatted("resolved") == case.get("inlined", case["text"])


@pytest.mark.parametrize("form", ["", "default", "pretty", "Resolved", "ignore_extensions"])
def test_an_unknown_form_is_the_canonical_text(form: str) -> None:
    reference = '{"type":"fixed","name":"F","size":1}'
    schema = parsed('{"type": "array", "items": "F"}', reference)
    assert schema.formatted(form) == schema.text == '{"type":"array","items":"F"}'


def test_spellings_of_one_schema_have_one_text() -> None:
    spellings = [
        '{"type":"record","name":"a.R","fields":[{"name":"x","type":"int"}]}',
        '{"name": "R", "namespace": "a", "type": "record", "fields": [{"type": "int", "name": "x"}]}',
        '{"fields":[{"name":"x","type":{"type":"int"}}],"namespace":"a","type":"record","name":"R"}',
        '// why\n{"type":"record","name":"a.R","namespace":"b","fields":[{"name":"x","type":"int"}],"aliases":[]}',
    ]
    assert len({parsed(spelling).text for spelling in spellings}) == 1


def test_field_order_is_part_of_the_text() -> None:
    one = {"type": "record", "name": "R", "fields": [{"name": "a", "type": "int"}, {"name": "b", "type": "int"}]}
    other = {**one, "fields": one["fields"][::-1]}  # type: ignore[index]
    assert parsed(one).text != parsed(other).text


@pytest.mark.parametrize(
    ("schema", "name"),
    [
        ('{"type":"record","name":"a.b.R","fields":[]}', "a.b.R"),
        ('{"type":"record","name":"R","fields":[]}', "R"),
        ('{"type":"error","name":"R","fields":[]}', "R"),
        ('{"type":"enum","name":"E","symbols":[]}', None),
        ('{"type":"fixed","name":"F","size":1}', None),
        ('"string"', None),
        ('["null",{"type":"record","name":"R","fields":[]}]', None),
    ],
)
def test_only_a_record_has_a_name(schema: str, name: str | None) -> None:
    assert parsed(schema).name == name
