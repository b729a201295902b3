"""Cases whose answers are Apache Avro's own: of 1.12.1, `Schema.toString` and `SchemaCompatibility`, one JSON a line.

`texts`: what is registered, the canonical text (`text`), with references written out (`inlined`) and normalised
(`normalized`), the latter two where they differ; `null` where the registry's normalising would change the meaning.
Apache has no normalising: those follow the published rules of the registry's.
`rejected`: what Java refuses as well. `compatibility`: reasons as "KIND path what", both ways.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from riacho.schemas.avro.schema import AvroSchema, parse
from riacho.schemas.parsed import SchemaSource


def cases(name: str) -> list[Any]:
    lines = (Path(__file__).with_name("data") / f"{name}.jsonl").read_text().splitlines()
    return [pytest.param(case, id=case["name"]) for case in map(json.loads, lines)]


def parsed(schema: object, *references: str) -> AvroSchema:
    """From a text, or from JSON that is not yet one."""
    text = schema if isinstance(schema, str) else json.dumps(schema)
    return parse(SchemaSource(text, (), {f"ref{at}": reference for at, reference in enumerate(references)}))
