"""Verdict, kinds of incompatibility, places and words are those of Java's SchemaCompatibility, each pair both ways."""

from __future__ import annotations

import json
from typing import Any

import pytest

from riacho.schemas.avro.compatibility import DIFFERENCES_MAX, incompatibilities
from riacho.schemas.avro.schema import AvroSchema
from unit.schemas.avro.frozen import cases, parsed


def _reasons(reader: AvroSchema, writer: AvroSchema) -> list[str]:
    return [f"{each.kind} {each.path} {each.info}" for each in incompatibilities(reader.root, writer.root)]


@pytest.mark.parametrize("case", cases("compatibility"))
def test_a_reads_b(case: dict[str, Any]) -> None:
    assert _reasons(parsed(json.dumps(case["a"])), parsed(json.dumps(case["b"]))) == case["a_reads_b"]


@pytest.mark.parametrize("case", cases("compatibility"))
def test_b_reads_a(case: dict[str, Any]) -> None:
    assert _reasons(parsed(json.dumps(case["b"])), parsed(json.dumps(case["a"]))) == case["b_reads_a"]


# The generated ones have aliases that name several fields, of which no reader can make sense.
SENSIBLE = [case for case in cases("texts") if not str(case.id).startswith("generated")]


@pytest.mark.parametrize("case", SENSIBLE)
def test_every_schema_reads_what_it_wrote(case: dict[str, Any]) -> None:
    schema = parsed(case["schema"], *case.get("references", ()))
    assert _reasons(schema, parsed(case["schema"], *case.get("references", ()))) == []
    assert _reasons(schema, schema.normalized()) == []
    assert _reasons(schema.normalized(), schema) == []


def test_types_of_references_count() -> None:
    reader = parsed('{"type":"array","items":"F"}', '{"type":"fixed","name":"F","size":2}')
    writer = parsed('{"type":"array","items":"F"}', '{"type":"fixed","name":"F","size":3}')
    assert reader.text == writer.text
    assert _reasons(reader, writer) == ["FIXED_SIZE_MISMATCH /items/size expected: 3, found: 2"]


def test_faults_of_shared_types_do_not_multiply_without_end() -> None:
    def layered(leaf: str) -> AvroSchema:
        layers = [{"type": "record", "name": "R0", "fields": [{"name": "a", "type": leaf}]}]
        for at in range(1, 25):
            fields = [{"name": "a", "type": f"R{at - 1}"}, {"name": "b", "type": f"R{at - 1}"}]
            layers.append({"type": "record", "name": f"R{at}", "fields": fields})
        return parsed(json.dumps(layers[::-1]))

    reader, writer = layered("int"), layered("string")
    top = incompatibilities(reader.root.branches[0], writer.root.branches[0])  # type: ignore[attr-defined]
    assert len(top) == DIFFERENCES_MAX
