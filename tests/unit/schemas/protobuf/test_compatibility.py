"""What keeps a schema from reading another one's data: every change both ways, the reasons by name."""

from __future__ import annotations

import re

import pytest

from riacho.schemas.formats import parse as parse_kind
from riacho.schemas.parsed import SchemaSource
from riacho.schemas.protobuf.difference import Difference, Kind
from riacho.schemas.protobuf.schema import parse
from unit.schemas.protobuf.evolutions import FIELDS, LABELS, ONEOFS, Evolution, text
from unit.schemas.protobuf.evolutions_of_types import ENUMS, MAPS, MESSAGES

EVOLUTIONS = [*FIELDS, *LABELS, *ONEOFS, *ENUMS, *MAPS, *MESSAGES]

# Types of one line can be read as one another: https://protobuf.dev/programming-guides/proto3/#updating
GROUPS = [
    {"int32", "int64", "uint32", "uint64", "bool"},
    {"sint32", "sint64"},
    {"string", "bytes"},
    {"fixed32", "sfixed32"},
    {"fixed64", "sfixed64"},
    {"float"},
    {"double"},
]
SCALARS = sorted(set().union(*GROUPS))
_REASON = re.compile(r"\{errorType:\"(\w+)\", description:\".*'#/(.*?)'.*\"\}")


def reasons(reader: str, writer: str) -> set[str]:
    found = parse(SchemaSource(reader)).differences(parse(SchemaSource(writer)))
    matches = [_REASON.fullmatch(reason) for reason in found]
    assert all(matches), found
    return {f"{match[1]} {match[2]}" for match in matches if match}


@pytest.mark.parametrize("evolution", EVOLUTIONS, ids=lambda evolution: evolution.name)
def test_the_new_schema_reads_the_old_data(evolution: Evolution) -> None:
    assert reasons(text(evolution.new), text(evolution.old)) == set(evolution.backward)


@pytest.mark.parametrize("evolution", EVOLUTIONS, ids=lambda evolution: evolution.name)
def test_the_old_schema_reads_the_new_data(evolution: Evolution) -> None:
    assert reasons(text(evolution.old), text(evolution.new)) == set(evolution.forward)


@pytest.mark.parametrize("evolution", EVOLUTIONS, ids=lambda evolution: evolution.name)
def test_every_schema_reads_its_own_data_in_every_form(evolution: Evolution) -> None:
    for body in (evolution.old, evolution.new):
        schema = parse(SchemaSource(text(body)))
        serialized = parse(SchemaSource(schema.formatted("serialized")))
        for other in (schema, schema.normalized(), serialized):
            assert schema.differences(other) == other.differences(schema) == []


@pytest.mark.parametrize("written", SCALARS)
@pytest.mark.parametrize("read", SCALARS)
def test_scalars_are_read_as_one_another_within_their_group(written: str, read: str) -> None:
    together = any({written, read} <= group for group in GROUPS)
    for template in ("{} a = 1;", "repeated {} a = 1;", "oneof o {{ {} a = 1; }}", "map<string, {}> a = 1;"):
        path = "M/o/1" if "oneof" in template else "M/1"
        expected = set() if together else {f"FIELD_SCALAR_KIND_CHANGED {path}"}
        assert reasons(text(template.format(read)), text(template.format(written))) == expected


def test_there_are_three_hundred_cases() -> None:
    assert 2 * len(EVOLUTIONS) + len(SCALARS) ** 2 >= 300


def test_the_names_of_evolutions_are_their_own() -> None:
    assert len({evolution.name for evolution in EVOLUTIONS}) == len(EVOLUTIONS)


SENTENCES = {
    Kind.PACKAGE_CHANGED: "The package at '#/x' in the new schema does not match the package in the old schema",
    Kind.MESSAGE_REMOVED: "The new schema is missing a MESSAGE type at path '#/x' in the old schema",
    Kind.FIELD_KIND_CHANGED: "The type of a field at path '#/x' in the new schema does not match the old schema",
    Kind.FIELD_SCALAR_KIND_CHANGED: "The kind of a SCALAR field at path '#/x' in the new schema does not match its "
    "kind in the old schema",
    Kind.FIELD_NAMED_TYPE_CHANGED: "The type of a MESSAGE field at path '#/x' in the new schema does not match its "
    "type in the old schema",
    Kind.FIELD_NUMERIC_LABEL_CHANGED: "The label for a NUMERIC field at path '#/x' in the new schema does not match "
    "its label in the old schema",
    Kind.REQUIRED_FIELD_ADDED: "A required field  at path '#/x' in the new schema is missing in the old schema",
    Kind.REQUIRED_FIELD_REMOVED: "The new schema is missing a required field at path: '#/x' in the old schema",
    Kind.ONEOF_FIELD_REMOVED: "The new schema is missing a oneof field at path '#/x' in the old schema",
    Kind.MULTIPLE_FIELDS_MOVED_TO_ONEOF: "Multiple fields in the oneof at path '#/x' in the new schema are outside a "
    "oneof in the old schema",
    Kind.FIELD_MOVED_TO_EXISTING_ONEOF: "A field in the oneof at path '#/x' in the new schema is outside an existing "
    "oneof in the old schema",
}


@pytest.mark.parametrize("kind", Kind)
def test_the_registrys_words(kind: Kind) -> None:
    difference = Difference(kind, "#/x")
    assert difference.is_compatible is (kind not in SENTENCES)
    expected = f'{{errorType:"{kind.name}", description:"{SENTENCES.get(kind, "")}"}}'
    assert difference.text("new", "old") == expected


def test_there_are_twenty_six_kinds() -> None:
    assert len(Kind) == 26


def test_the_words_change_places_where_the_old_schema_reads() -> None:
    old, new = parse(SchemaSource(text("int32 a = 1;"))), parse(SchemaSource(text("string a = 1;")))
    assert old.differences(new, "old", "new") == [
        '{errorType:"FIELD_SCALAR_KIND_CHANGED", description:"The kind of a SCALAR field at path \'#/M/1\' in the old '
        'schema does not match its kind in the new schema"}'
    ]


def test_another_kind_of_schema() -> None:
    other = parse_kind("AVRO", SchemaSource('"string"'))
    assert parse(SchemaSource(text(""))).differences(other) == ["Incompatible because of different schema type"]
