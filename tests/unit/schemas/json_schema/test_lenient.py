"""The policies STRICT and LENIENT over all ways in which a property comes or goes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from riacho.schemas.formats import parse
from riacho.schemas.parsed import ParsedSchema, SchemaSource

KINDS = ("required", "required with default", "optional")
DRAFTS = ("http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema")


def _schema(draft: str, kind: str | None, is_open: bool) -> ParsedSchema:
    properties: dict[str, Any] = {"a": {"type": "integer"}}
    if kind is not None:
        properties["b"] = {"type": "string"} | ({"default": ""} if kind == "required with default" else {})
    required = [] if kind in (None, "optional") else ["b"]
    schema = {"$schema": draft, "type": "object", "properties": properties, "additionalProperties": is_open}
    return parse("JSON", SchemaSource(json.dumps(schema | ({"required": required} if required else {}))))


@pytest.mark.parametrize("draft", DRAFTS)
@pytest.mark.parametrize(
    ("change", "is_open", "strict", "lenient"),
    [
        ("added", True, (), KINDS[1:]),
        ("added", False, KINDS[1:], KINDS[1:]),
        ("removed", True, KINDS, KINDS),
        ("removed", False, (), KINDS),
    ],
)
def test_a_property_comes_or_goes(
    draft: str, change: str, is_open: bool, strict: tuple[str, ...], lenient: tuple[str, ...]
) -> None:
    for kind in KINDS:
        old, new = _schema(draft, None, is_open), _schema(draft, kind, is_open)
        if change == "removed":
            old, new = new, old
        assert (new.differences(old) == []) is (kind in strict), kind
        assert (new.differences(old, is_lenient=True) == []) is (kind in lenient), kind


@pytest.mark.parametrize("combined", ["allOf", "anyOf", "oneOf"])
def test_lenience_reaches_into_combinations_and_references(combined: str) -> None:
    def schema(*names: str) -> ParsedSchema:
        inner = {"type": "object", "properties": {name: {"type": "integer"} for name in names}}
        whole = {combined: [{"$ref": "#/definitions/D"}], "definitions": {"D": inner}}
        return parse("JSON", SchemaSource(json.dumps(whole)))

    old, new = schema("a"), schema("a", "b")
    assert new.differences(old) != []
    assert new.differences(old, is_lenient=True) == []
