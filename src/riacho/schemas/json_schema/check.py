"""Whether a text is a schema at all: the draft's own schema of schemas is asked, with our regular expressions."""

from __future__ import annotations

from functools import cache
from typing import Any

from riacho.base.shortening import shortened
from riacho.schemas.json_schema.draft import Draft, library_validator
from riacho.schemas.json_schema.pattern import searching
from riacho.schemas.parsed import Json, SchemaError


def check_schema(tree: Json, draft: Draft) -> None:
    if isinstance(tree, bool):
        return
    error = next(_metaschema(draft).iter_errors(tree), None)
    if error is not None:
        raise SchemaError(f"Invalid JSON Schema at {pointer(error.absolute_path)}: {shortened(error.message)}")


def pointer(path: Any) -> str:
    """`#/properties/foo`, of the place where something is wrong."""
    return "#/" + "/".join(str(step) for step in path)


@cache
def _metaschema(draft: Draft) -> Any:
    from jsonschema import FormatChecker  # type: ignore[import-untyped]

    validator = library_validator(draft)
    formats = FormatChecker(formats=())
    formats.checks("regex", raises=SchemaError)(_is_pattern)
    return validator(validator.META_SCHEMA, format_checker=formats)


def _is_pattern(value: object) -> bool:
    return not isinstance(value, str) or searching(value) is not None
