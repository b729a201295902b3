"""Schemas from Python values or text, for the tests of JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

import pytest

from riacho.schemas.json_schema.schema import JsonSchema, parse
from riacho.schemas.parsed import SchemaSource

Schema = Callable[..., JsonSchema]


@pytest.fixture(scope="session")
def schema() -> Schema:
    def of(value: object, draft: str | None = None, resolved: Mapping[str, object] | None = None) -> JsonSchema:
        """`value`: the text itself, or what it says. `draft`: the `$schema` that is put before it."""
        if draft is not None and isinstance(value, dict):
            value = {"$schema": draft, **value}
        text = value if isinstance(value, str) else json.dumps(value)
        texts = {name: json.dumps(referred) for name, referred in (resolved or {}).items()}
        return parse(SchemaSource(text, resolved=texts))

    return of
