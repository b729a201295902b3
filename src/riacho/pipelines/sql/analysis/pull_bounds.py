"""Keys and window bounds in the condition of a pull query."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from riacho.pipelines.sql.analysis.outcomes import WindowBounds
from riacho.pipelines.sql.catalogue.sources import DataSource
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.syntax.expressions import Between, Column, Comparison, Expression, In, Logical
from riacho.pipelines.sql.types import BIGINT, SqlType

LOOKUPS_MAX = 10_000

ConstantOf = Callable[[Expression, SqlType], Any]

_MIRRORED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def conjuncts(expression: Expression) -> list[Expression]:
    if isinstance(expression, Logical) and expression.operator == "AND":
        return [part for operand in expression.operands for part in conjuncts(operand)]
    return [expression]


def key_lookups(
    parts: Sequence[Expression], source: DataSource, constant: ConstantOf
) -> tuple[Mapping[str, Any], ...] | None:
    """The keys that a row must have one of; None where the condition does not say."""
    found: dict[str, list[Any]] = {}
    types = {column.name: column.type for column in source.schema.key}
    for part in parts:
        match part:
            case Comparison("=", Column(name), value) if name in types:
                found[name] = [_constant(value, types[name], constant)]
            case Comparison("=", value, Column(name)) if name in types:
                found[name] = [_constant(value, types[name], constant)]
            case In(Column(name), items) if name in types:
                found[name] = [_constant(item, types[name], constant) for item in items]
            case _:
                pass
    if set(found) != set(types) or not types or any(_NOT_CONSTANT in each for each in found.values()):
        return None
    lookups = tuple(dict(zip(found, values, strict=True)) for values in product(*found.values()))
    if len(lookups) > LOOKUPS_MAX:
        raise KsqlError(f"A pull query asks for {LOOKUPS_MAX} keys at most.")
    return lookups


_NOT_CONSTANT = object()


def _constant(expression: Expression, kind: SqlType, constant: ConstantOf) -> Any:
    try:
        return constant(expression, kind)
    except KsqlError:
        return _NOT_CONSTANT


def window_bounds(parts: Sequence[Expression], constant: ConstantOf) -> WindowBounds:
    bounds = WindowBounds()
    for part in parts:
        match part:
            case Comparison(operator, Column(name), value) if operator in _MIRRORED:
                bounds = _narrowed(bounds, name, operator, value, constant)
            case Comparison(operator, value, Column(name)) if operator in _MIRRORED:
                bounds = _narrowed(bounds, name, _MIRRORED[operator], value, constant)
            case Between(Column(name), low, high):
                bounds = _narrowed(bounds, name, ">=", low, constant)
                bounds = _narrowed(bounds, name, "<=", high, constant)
            case _:
                pass
    return bounds


def _narrowed(bounds: WindowBounds, name: str, operator: str, value: Expression, constant: ConstantOf) -> WindowBounds:
    if name not in ("WINDOWSTART", "WINDOWEND"):
        return bounds
    at = time_of(value, constant)
    side = "start" if name == "WINDOWSTART" else "end"
    low, high = getattr(bounds, f"{side}_min"), getattr(bounds, f"{side}_max")
    if operator in ("=", ">", ">="):
        least = at + 1 if operator == ">" else at
        low = least if low is None else max(low, least)
    if operator in ("=", "<", "<="):
        most = at - 1 if operator == "<" else at
        high = most if high is None else min(high, most)
    changes: dict[str, Any] = {f"{side}_min": low, f"{side}_max": high}
    return replace(bounds, **changes)


def time_of(expression: Expression, constant: ConstantOf) -> int:
    value = _constant(expression, BIGINT, constant)
    if not isinstance(value, int):
        raise KsqlError("Window bounds must be a BIGINT of milliseconds or a text with a date and time.")
    return value
