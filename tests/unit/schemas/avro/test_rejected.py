"""What is no schema is refused, by one sentence, as Java refuses it."""

from __future__ import annotations

from typing import Any

import pytest

from riacho.schemas.avro.schema import parse
from riacho.schemas.formats import parse as parse_any
from riacho.schemas.parsed import SchemaError, SchemaSource
from unit.schemas.avro.frozen import cases, parsed


@pytest.mark.parametrize("case", cases("rejected"))
def test_rejected(case: dict[str, Any]) -> None:
    with pytest.raises(SchemaError) as refused:
        parsed(case["schema"], *case.get("references", ()))
    assert refused.value.args[0]
    assert "\n" not in str(refused.value)


# A word as default of a number is refused by Java whether defaults are checked or not.
DEFAULTS = [case for case in cases("rejected") if str(case.id).startswith("default ") and "word of" not in str(case.id)]


@pytest.mark.parametrize("case", DEFAULTS)
def test_a_wrong_default_is_read_where_it_is_already_stored(case: dict[str, Any]) -> None:
    assert parse(SchemaSource(case["schema"], is_new=False)).name == "R"


def _refusal(text: str) -> str:
    with pytest.raises(SchemaError) as refused:
        parsed(text)
    return str(refused.value)


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ('{"type":"record","name":"R","fields":[{"name":"a","type":"x.Y"}]}', "Undefined schema: x.Y"),
        ('{"type":"record","name":"n.R","fields":[{"name":"a","type":"Y"}]}', "Undefined schema: n.Y"),
        ('["int","int"]', "Duplicate in union: int"),
        ('{"type":"record","name":"a-b","fields":[]}', "Illegal character in: a-b"),
        ('{"type":"enum","name":"E","symbols":["A","A"]}', "Duplicate enum symbol: A"),
        ('{"type":"fixed","name":"n.F","size":-1}', "Invalid or no size of fixed n.F"),
        (
            '{"type":"record","name":"R","fields":[{"name":"a","type":"int","default":"x"}]}',
            'Invalid default for field a: "x" not a int',
        ),
        ("string", "Invalid JSON: Expecting value at line 1, column 1"),
    ],
)
def test_what_is_said(schema: str, said: str) -> None:
    assert _refusal(schema) == said


def test_any_branch_of_a_union_may_have_the_default() -> None:
    field = '{"name":"a","type":["null","string",{"type":"array","items":"int"}],"default":%s}'
    for default in ("null", '"x"', "[1]"):
        assert default in parsed(f'{{"type":"record","name":"R","fields":[{field % default}]}}').text


def test_the_kind_is_found_by_its_name() -> None:
    assert parse_any("AVRO", SchemaSource('"int"')).schema_type == "AVRO"
    assert parse_any("avro", SchemaSource('"int"')).text == '"int"'
