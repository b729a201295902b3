"""Parsed schemas as they are remembered: what is stored must stay readable, what is new must be right."""

from __future__ import annotations

import pytest

from riacho.schema_registry.parsing import ParsedSchemas
from riacho.schemas.parsed import SchemaError

WRONG_DEFAULT = '{"type":"record","name":"R","fields":[{"name":"a","type":"int","default":"x"}]}'


def test_a_wrong_default_is_read_where_it_is_stored_and_refused_where_it_is_new():
    schemas = ParsedSchemas()
    stored = schemas.parse("AVRO", WRONG_DEFAULT, is_new=False)
    assert stored.text == WRONG_DEFAULT
    with pytest.raises(SchemaError, match="Invalid schema of type AVRO, details: Invalid default for field a"):
        schemas.parse("AVRO", WRONG_DEFAULT)
    assert schemas.parse("AVRO", WRONG_DEFAULT, is_new=False) is stored


def test_a_schema_that_is_right_is_parsed_once_whoever_asks():
    schemas = ParsedSchemas()
    stored = schemas.parse("AVRO", '"string"', is_new=False)
    assert schemas.parse("AVRO", '"string"') is stored


def test_what_is_no_schema_is_refused_even_where_it_is_stored():
    with pytest.raises(SchemaError, match="Invalid schema of type AVRO, details: Undefined schema: strin"):
        ParsedSchemas().parse("AVRO", '"strin"', is_new=False)
