"""The checks that look at one value and no further: types, limits, enums."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from riacho.schemas.json_schema.draft import Draft
from riacho.schemas.json_schema.pattern import searching

Fits = Callable[[Any], bool]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_integer(value: Any) -> bool:
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, int) and not isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    """Draft 4: 1.0 is no integer."""
    return isinstance(value, int) and not isinstance(value, bool)


_TYPES: dict[str, Fits] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": _is_number,
    "integer": _is_integer,
}


def type_check(named: str | list[str], draft: Draft) -> Fits:
    types = _TYPES | {"integer": _is_whole} if draft is Draft.DRAFT_4 else _TYPES
    if isinstance(named, str):
        return types[named]
    checks = [types[name] for name in named]
    return lambda value: any(check(value) for check in checks)


def json_equal(one: Any, two: Any) -> bool:
    """1 is 1.0, but true is not 1, at any depth."""
    if isinstance(one, bool) or isinstance(two, bool):
        return one is two
    if isinstance(one, list) and isinstance(two, list):
        return len(one) == len(two) and all(map(json_equal, one, two))
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(json_equal(item, two[key]) for key, item in one.items())
    return bool(one == two)


def _enum(values: list[Any]) -> Fits:
    if all(isinstance(value, str) for value in values):
        strings = frozenset(values)
        return lambda value: isinstance(value, str) and value in strings
    return lambda value: any(json_equal(each, value) for each in values)


def _pattern(pattern: str) -> Fits:
    search = searching(pattern)
    return lambda value: not isinstance(value, str) or bool(search(value))


def _unique(is_asked: bool) -> Fits:
    if not is_asked:
        return lambda value: True
    return lambda value: not isinstance(value, list) or len({_frozen(item) for item in value}) == len(value)


def _frozen(value: Any) -> object:
    """Equal for what `json_equal` says is equal, and fit for a set: comparing each with each has no bound."""
    if isinstance(value, bool):
        return (bool, value)
    if isinstance(value, list):
        return (list, *map(_frozen, value))
    if isinstance(value, dict):
        return (dict, frozenset((key, _frozen(item)) for key, item in value.items()))
    return value


CHECKS_OF_VALUES: dict[str, Callable[[Any], Fits]] = {
    "enum": _enum,
    "const": lambda constant: lambda value: json_equal(constant, value),
    "pattern": _pattern,
    "minLength": lambda limit: lambda value: not isinstance(value, str) or len(value) >= limit,
    "maxLength": lambda limit: lambda value: not isinstance(value, str) or len(value) <= limit,
    "minimum": lambda limit: lambda value: not _is_number(value) or value >= limit,
    "maximum": lambda limit: lambda value: not _is_number(value) or value <= limit,
    "exclusiveMinimum": lambda limit: lambda value: not _is_number(value) or value > limit,
    "exclusiveMaximum": lambda limit: lambda value: not _is_number(value) or value < limit,
    "multipleOf": lambda divisor: lambda value: not _is_number(value) or not value % divisor,
    "uniqueItems": _unique,
    "minItems": lambda limit: lambda value: not isinstance(value, list) or len(value) >= limit,
    "maxItems": lambda limit: lambda value: not isinstance(value, list) or len(value) <= limit,
    "minProperties": lambda limit: lambda value: not isinstance(value, dict) or len(value) >= limit,
    "maxProperties": lambda limit: lambda value: not isinstance(value, dict) or len(value) <= limit,
}
