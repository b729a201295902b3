"""Schemas and values that would keep a service busy for ever: they get an answer, one way or the other."""

from __future__ import annotations

import pytest

from riacho.schemas.json_schema import compiled, library
from riacho.schemas.json_schema.schema import JsonSchema, parse
from riacho.schemas.json_schema.steps import Steps
from riacho.schemas.parsed import DataError, SchemaError, SchemaSource

HOSTILE = {
    "escaped quotes without end": '"' + '\\"' * 100_000,
    "escaped quotes without end, after brackets": "[]," * 500 + '"' + '\\"' * 100_000,
    "quotes": '"\\' * 100_000,
    "brackets": "[" * 200_000,
    "long number": '{"maximum":' + "9" * 100_000 + "}",
    "huge exponent": '{"maximum":1e999999999}',
}


def made(text: str) -> JsonSchema:
    return parse(SchemaSource(text))


@pytest.mark.parametrize("name", HOSTILE)
def test_a_text_that_is_no_schema_is_refused(name: str):
    with pytest.raises(SchemaError):
        made(HOSTILE[name])


def _doubling(keyword: str, more: str = "") -> str:
    definitions = ",".join(
        f'"d{at}":{{"{keyword}":[{{"$ref":"#/definitions/d{at + 1}"}},{{"$ref":"#/definitions/d{at + 1}"}}]}}'
        for at in range(40)
    )
    return (
        f'{{"definitions":{{{definitions},"d40":{{"type":"string"}}}},"allOf":[{{"$ref":"#/definitions/d0"}}]{more}}}'
    )


@pytest.mark.parametrize(
    "text",
    [_doubling("allOf"), _doubling("anyOf"), _doubling("oneOf", ',"dependencies":{"a":["b"]}')],
    ids=["allOf", "anyOf", "by the library"],
)
def test_references_that_double_at_every_step_have_an_end(text: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(library, "_steps", Steps(1_000))
    monkeypatch.setattr(compiled, "STEPS_MAX", 20_000)
    # A value that all of them have to be asked about.
    value = "x" if '"allOf":[{"$ref":"#/definitions/d1"}' in text else 5
    with pytest.raises(DataError, match="its references lead to too many others"):
        made(text).codec().encode(value)


def test_values_of_many_references_are_taken():
    schema = made('{"definitions":{"n":{"type":"integer"}},"items":{"$ref":"#/definitions/n"}}')
    assert schema.codec().encode([1] * 1000) == b"[" + b"1," * 999 + b"1]"


WILD = r"(?<![b])(a+)+$"


def test_a_pattern_that_goes_back_for_ever_is_stored_and_not_used_on_long_texts():
    codec = made(f'{{"pattern":"{WILD}"}}').codec()
    assert codec.encode("aaa") == b'"aaa"'
    with pytest.raises(DataError, match="may take too long for so long a text"):
        codec.encode("a" * 60 + "!")


def test_schemas_with_such_a_pattern_are_compared():
    one = made(f'{{"type":"object","patternProperties":{{"{WILD}":{{"type":"string"}}}}}}')
    name = "a" * 60 + "!"
    two = made(f'{{"type":"object","properties":{{"{name}":{{"type":"string"}}}}}}')
    for reader, writer in ((one, two), (two, one)):
        assert all(isinstance(text, str) for text in reader.differences(writer))
