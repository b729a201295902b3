"""The sentences of the registry's answer, which clients take apart by patterns."""

from __future__ import annotations

import json

import pytest

from riacho.schemas.parsed import Codec, ParsedSchema
from unit.schemas.avro.frozen import parsed


def _record(*fields: object, name: str = "R") -> str:
    return json.dumps({"type": "record", "name": name, "fields": fields})


F1, F2 = {"name": "f1", "type": "string"}, {"name": "f2", "type": "string"}

SENTENCES = {
    "missing default": (
        _record(F1, F2),
        _record(F1),
        "{errorType:'READER_FIELD_MISSING_DEFAULT_VALUE', description:'The field 'f2' at path '/fields/1' in the new"
        " schema has no default value and is missing in the old schema', additionalInfo:'f2'}",
    ),
    "type": (
        _record({"name": "f1", "type": "int"}),
        _record(F1),
        "{errorType:'TYPE_MISMATCH', description:'The type (path '/fields/0/type') of a field in the new schema"
        " does not match with the old schema',"
        " additionalInfo:'reader type: INT not compatible with writer type: STRING'}",
    ),
    "name": (
        _record(F1, name="S"),
        _record(F1),
        "{errorType:'NAME_MISMATCH', description:'The name of the schema has changed (path '/name')',"
        " additionalInfo:'expected: R'}",
    ),
    "fixed size": (
        '{"type":"fixed","name":"F","size":2}',
        '{"type":"fixed","name":"F","size":3}',
        "{errorType:'FIXED_SIZE_MISMATCH', description:'The size of FIXED type field at path '/size' in the new schema"
        " does not match with the old schema', additionalInfo:'expected: 3, found: 2'}",
    ),
    "enum symbols": (
        '{"type":"enum","name":"E","symbols":["A"]}',
        '{"type":"enum","name":"E","symbols":["C","A","B"]}',
        "{errorType:'MISSING_ENUM_SYMBOLS', description:'The new schema is missing enum symbols '[B, C]' at path"
        " '/symbols' in the old schema', additionalInfo:'[B, C]'}",
    ),
    "union branch": (
        '["null","int"]',
        '["null","string"]',
        "{errorType:'MISSING_UNION_BRANCH', description:'The new schema is missing a type inside a union field at path"
        " '/1' in the old schema', additionalInfo:'reader union lacking writer type: STRING'}",
    ),
}


@pytest.mark.parametrize(("reader", "writer", "sentence"), SENTENCES.values(), ids=SENTENCES)
def test_sentence(reader: str, writer: str, sentence: str) -> None:
    assert parsed(reader).differences(parsed(writer)) == [sentence]


def test_compatible_has_none() -> None:
    assert parsed(_record(F1)).differences(parsed(_record(F1, F2))) == []


def test_several_in_the_order_of_the_reader() -> None:
    found = parsed(_record(F2, {"name": "f1", "type": "int"})).differences(parsed(_record(F1)))
    assert [each.split("'")[1] for each in found] == ["READER_FIELD_MISSING_DEFAULT_VALUE", "TYPE_MISMATCH"]


def test_a_field_that_is_two_of_the_writers() -> None:
    reader = _record({"name": "f1", "type": "string", "aliases": ["f2"]})
    assert parsed(reader).differences(parsed(_record(F1, F2))) == [
        "Unexpected exception during compatibility check: Reader record field f1 type:STRING pos:0 matches multiple"
        " fields in writer record schema " + parsed(_record(F1, F2)).text
    ]


class _OtherKind(ParsedSchema):
    schema_type = "OTHER"
    text = ""
    references = ()
    resolved = {}

    @property
    def name(self) -> str | None:
        return None

    def normalized(self) -> ParsedSchema:
        return self

    def formatted(self, form: str) -> str:
        return self.text

    def differences(self, writer: ParsedSchema) -> list[str]:
        return []

    def codec(self, message: str | None = None) -> Codec:
        raise AssertionError("nobody asks")


def test_another_kind_of_schema() -> None:
    assert parsed('"int"').differences(_OtherKind()) == ["Incompatible because of different schema type"]
