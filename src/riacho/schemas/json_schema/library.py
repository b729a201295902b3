"""The `jsonschema` library as we use it: with our regular expressions, and references found among the registry's."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from riacho.schemas.json_schema.documents import Documents
from riacho.schemas.json_schema.draft import Draft, library_validator
from riacho.schemas.json_schema.pattern import searching
from riacho.schemas.json_schema.steps import Steps

STEPS_MAX = 50_000  # some seconds
_steps = Steps(STEPS_MAX)
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


def validator_of(documents: Documents) -> Any:
    return _validator_class(documents.draft)(documents.tree, registry=documents.registry)


def first_error(validator: Any, value: Any) -> Any:
    """None where there is none; TooManyStepsError where there is no end of references."""
    _steps.begin()
    return next(validator.iter_errors(value), None)


@cache
def _validator_class(draft: Draft) -> Any:
    from jsonschema.validators import extend  # type: ignore[import-untyped]

    library = library_validator(draft)
    references = {name: _counted(library.VALIDATORS[name]) for name in _REFERENCES if name in library.VALIDATORS}
    ours = {
        "pattern": _pattern, "patternProperties": _pattern_properties, "additionalProperties": _additional_properties,
    }  # fmt: skip
    return extend(library, {**ours, **references})


def _counted(follow: Any) -> Any:
    def reference(validator: Any, ref: str, instance: Any, schema: Any) -> Any:
        _steps.take()
        return follow(validator, ref, instance, schema)

    return reference


def _pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError  # type: ignore[import-untyped]

    if isinstance(instance, str) and not searching(pattern)(instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, members: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if isinstance(instance, dict):
        for pattern, member in members.items():
            search = searching(pattern)
            for name, item in instance.items():
                if search(name):
                    yield from validator.descend(item, member, path=name, schema_path=pattern)


def _additional_properties(validator: Any, member: Any, instance: Any, schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    if not isinstance(instance, dict):
        return
    patterns = [searching(pattern) for pattern in schema.get("patternProperties", {})]
    for name, item in instance.items():
        if name in schema.get("properties", {}) or any(search(name) for search in patterns):
            continue
        if member is False:
            yield ValidationError(f"Additional properties are not allowed ({name!r} was unexpected)")
        else:
            yield from validator.descend(item, member, path=name)
