"""Going through expressions: what one is made of, and the same with parts of it replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, cast

from riacho.pipelines.sql.syntax.expressions import Cast, Expression, FunctionCall, When


def parts(node: Expression) -> Iterator[Expression]:
    """What an expression is directly made of, from left to right."""
    for each in fields(node):
        if each.name in ("at", "type"):
            continue
        yield from _expressions(getattr(node, each.name))


def _expressions(value: object) -> Iterator[Expression]:
    if isinstance(value, tuple):
        for item in value:
            yield from _expressions(item)
    elif isinstance(value, When):
        yield from (value.condition, value.result)
    elif is_dataclass(value):
        yield cast("Expression", value)


def walk(node: Expression) -> Iterator[Expression]:
    """An expression and all that it is made of, outermost first."""
    yield node
    for part in parts(node):
        yield from walk(part)


def calls(node: Expression) -> Iterator[FunctionCall]:
    return (each for each in walk(node) if isinstance(each, FunctionCall))


def rewrite(node: Expression, change: Callable[[Expression], Expression | None]) -> Expression:
    """The expression with `change` of its parts, outermost first; where `change` gives None a part stays, and what it
    is made of is looked at."""
    changed = change(node)
    if changed is not None:
        return changed
    updates: dict[str, Any] = {}
    for each in fields(node):
        if each.name == "at" or (each.name == "type" and isinstance(node, Cast)):
            continue
        value = getattr(node, each.name)
        new = _rewritten(value, change)
        if new is not value:
            updates[each.name] = new
    return replace(node, **updates) if updates else node


def _rewritten(value: Any, change: Callable[[Expression], Expression | None]) -> Any:
    if isinstance(value, tuple):
        items = tuple(_rewritten(item, change) for item in value)
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    if isinstance(value, When):
        condition, result = rewrite(value.condition, change), rewrite(value.result, change)
        if condition is value.condition and result is value.result:
            return value
        return replace(value, condition=condition, result=result)
    if is_dataclass(value):
        return rewrite(cast("Expression", value), change)
    return value
