"""Columns that a statement leaves out, asked of a registry."""

from __future__ import annotations

import pytest

from riacho.pipelines.sql.analysis.settings import InferenceRequest
from riacho.pipelines.sql.catalogue.sources import FormatInfo
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.memory_registry import MemoryRegistry
from riacho.pipelines.sql.server.inference import inference
from riacho.pipelines.sql.types import BIGINT, STRING, Field

_SCHEMA = (
    '{"type": "record", "name": "r", "fields": [{"name": "id", "type": "long"}, {"name": "who", "type": "string"}]}'
)


def test_without_a_registry_it_is_said_what_to_set() -> None:
    with pytest.raises(KsqlError, match=r"ksql\.schema\.registry\.url"):
        inference(None)(InferenceRequest("orders", FormatInfo("AVRO"), is_key=False))


def test_columns_are_those_of_the_topics_subject() -> None:
    registry = MemoryRegistry()
    registry.register("orders-value", "AVRO", _SCHEMA)
    infer = inference(registry)
    found = infer(InferenceRequest("orders", FormatInfo("AVRO"), is_key=False))
    assert (found.columns, found.is_single) == ((Field("ID", BIGINT), Field("WHO", STRING)), False)
    with pytest.raises(KsqlError, match="does not exist in the Schema Registry"):
        infer(InferenceRequest("others", FormatInfo("AVRO"), is_key=False))


def test_a_key_of_one_value_is_one_column() -> None:
    registry = MemoryRegistry()
    registry.register("orders-key", "AVRO", '"string"')
    infer = inference(registry)
    found = infer(InferenceRequest("orders", FormatInfo("AVRO"), is_key=True))
    assert (found.columns, found.is_single) == ((Field("ROWKEY", STRING),), True)
