"""Whatever text comes, it is a schema or a SchemaError, and neither takes long."""

from __future__ import annotations

import json

import pytest

from riacho.schemas.avro.schema import parse
from riacho.schemas.parsed import SchemaError, SchemaSource
from unit.schemas.avro.frozen import parsed

HOSTILE = {
    "brackets": "[" * 200_000,
    "braces": '{"type":' * 100_000,
    "arrays in arrays": '{"type":"array","items":' * 3_000 + '"int"' + "}" * 3_000,
    "unions in unions": "[" * 2_000 + '"int"' + "]" * 2_000,
    "deep property": '{"type":"int","p":' + "[" * 2_000 + "]" * 2_000 + "}",
    "deep default": '{"type":"record","name":"R","fields":[{"name":"a","type":"int","default":' + "[" * 2_000,
    "long number": '{"type":"int","p":' + "9" * 100_000 + "}",
    "long fraction": '{"type":"int","p":0.' + "9" * 100_000 + "}",
    "quotes": '"\\' * 100_000,
    "escaped quotes without end": '"' + '\\"' * 100_000,
    "comments without end": "/*" * 100_000,
    "slashes": "/" * 100_000,
    "NUL": "\0",
    "NUL in a name": '{"type":"record","name":"a\\u0000b","fields":[]}',
    "half a surrogate pair": '{"type":"int","p":"\ud800"}',
    "half a surrogate pair, escaped": '{"type":"int","p":"\\ud800"}',
    "half a surrogate pair in a name": '{"type":"record","name":"\\uDC00","fields":[]}',
    "byte order mark": '\ufeff"int"',
    "name without end": '{"type":"record","name":"' + "a-" * 100_000 + '","fields":[]}',
    "unknown name without end": '"' + "a" * 200_000 + '"',
    "many symbols, the last one twice": json.dumps(
        {"type": "enum", "name": "E", "symbols": [f"S{at}" for at in range(50_000)] + ["S49999"]}
    ),
    "many branches, the last one twice": json.dumps(
        [{"type": "fixed", "name": f"F{n}", "size": 1} for n in range(5_000)] + ["F7"]
    ),
    "huge exponent as size": '{"type":"fixed","name":"F","size":1e400}',
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_refused_in_one_short_sentence(text: str) -> None:
    with pytest.raises(SchemaError) as refused:
        parse(SchemaSource(text))
    said = str(refused.value)
    said.encode()
    assert 0 < len(said) < 1_000
    assert "\n" not in said


def _records_by_name(count: int) -> str:
    """Flat as a text; as deep as there are records once each is written out where it is first used."""
    records: list[object] = [
        {"type": "record", "name": f"R{at}", "fields": [{"name": "a", "type": f"R{at + 1}"}]} for at in range(count)
    ]
    return json.dumps([*records, {"type": "record", "name": f"R{count}", "fields": []}])


def test_a_flat_text_of_a_deep_schema() -> None:
    assert parsed(_records_by_name(50)).text.count('"record"') == 51
    for count in (200, 5_000):
        with pytest.raises(SchemaError, match="nested"):
            parsed(_records_by_name(count))


def test_defaults_that_could_take_exponential_time() -> None:
    branches = [
        {"type": "record", "name": f"R{at}", "fields": [{"name": "f", "type": {"type": "array", "items": "U"}}]}
        for at in range(10)
    ]
    deep: object = {"f": "wrong"}
    for _ in range(40):
        deep = {"f": [deep]}
    holder = {"name": "U", "type": "record", "fields": [{"name": "f", "type": [*branches, "null"], "default": deep}]}
    with pytest.raises(SchemaError, match="Invalid default"):
        parsed(holder)


def test_defaults_of_defaults_that_could_take_exponential_time() -> None:
    inner: object = "int"
    for at in range(30):
        default: object = 1 if inner == "int" else {}
        name = None if inner == "int" else f"R{at - 1}"
        fields = [
            {"name": "a", "type": inner, "default": default},
            {"name": "b", "type": name or "int", "default": default},
        ]
        inner = {"type": "record", "name": f"R{at}", "fields": fields}
    assert parsed(inner).name == "R29"


def test_large_but_sensible() -> None:
    fields = [{"name": f"f{at}", "type": ["null", "string"], "default": None, "doc": "d" * 50} for at in range(2_000)]
    schema = parsed({"type": "record", "name": "Wide", "fields": fields})
    assert schema.normalized().text == schema.text
    assert schema.differences(schema) == []


def test_large_unions_are_compared_and_endless_ones_are_not():
    def union(named: str) -> str:
        fields = [{"name": "a", "type": "int"}]
        return json.dumps([{"type": "record", "name": named % at, "fields": fields} for at in range(1_000)])

    one, other, alike = (parse(SchemaSource(union(named))) for named in ("One%d", "Other%d", "space%d.Same"))
    assert one.differences(one) == []
    assert len(one.differences(other)) == 1_000
    # Names without their spaces are all the same, so each has to be looked at with each.
    different = parse(SchemaSource(alike.text.replace('"int"', '"string"')))
    [told] = alike.differences(different)
    assert told.endswith("the schemas are too large to be compared")
