"""Types of other schemas, used by name: found whatever the order, written by name, and part of every answer."""

from __future__ import annotations

import pytest

from riacho.schemas.avro.schema import parse
from riacho.schemas.parsed import Reference, SchemaError, SchemaSource

ADDRESS = '{"type":"record","name":"com.a.Address","fields":[{"name":"city","type":"string"}]}'
PERSON = '{"type":"record","name":"com.p.Person","fields":[{"name":"home","type":"com.a.Address"}]}'
ORDER = '{"type":"record","name":"com.o.Order","fields":[{"name":"by","type":"com.p.Person"}]}'


def test_chain() -> None:
    references = (Reference("com.p.Person", "person", 1),)
    schema = parse(SchemaSource(ORDER, references, {"com.a.Address": ADDRESS, "com.p.Person": PERSON}))
    assert schema.text == (
        '{"type":"record","name":"Order","namespace":"com.o","fields":[{"name":"by","type":"com.p.Person"}]}'
    )
    assert schema.references == references
    assert schema.codec().encode({"by": {"home": {"city": "Porto"}}}) == b"\x0aPorto"
    assert '"name":"Address","namespace":"com.a"' in schema.formatted("resolved")
    assert parse(SchemaSource(schema.formatted("resolved"))).text == schema.formatted("resolved")


def test_the_order_of_references_does_not_matter() -> None:
    schema = parse(SchemaSource(ORDER, (), {"com.p.Person": PERSON, "com.a.Address": ADDRESS}))
    assert schema.codec().encode({"by": {"home": {"city": ""}}}) == b"\0"


def test_a_reference_that_is_missing() -> None:
    with pytest.raises(SchemaError, match=r"Undefined schema: com\.a\.Address"):
        parse(SchemaSource(ORDER, (), {"com.p.Person": PERSON}))


def test_a_wrong_default_of_a_reference_is_not_ours_to_judge() -> None:
    wrong = '{"type":"record","name":"W","fields":[{"name":"a","type":"int","default":"x"}]}'
    assert parse(SchemaSource('{"type":"array","items":"W"}', (), {"W": wrong})).text == '{"type":"array","items":"W"}'


def test_too_deep_only_once_references_are_written_out() -> None:
    def chain(first: int, last: int) -> str:
        text = f'"R{last}"' if last < 200 else '"int"'
        for at in range(last - 1, first - 1, -1):
            text = f'{{"type":"record","name":"R{at}","fields":[{{"name":"a","type":{text}}}]}}'
        return text

    resolved = {str(at): chain(at, at + 50) for at in (150, 100, 50)}
    with pytest.raises(SchemaError, match="nested more than"):
        parse(SchemaSource(chain(0, 50), (), resolved))
