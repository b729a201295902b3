"""Walks over statements, whatever they are made of: for what has to look at every part."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

from riacho.pipelines.sql.errors import ParseError
from riacho.pipelines.sql.parsing.bounds import NESTING_MAX, too_deep
from riacho.pipelines.sql.parsing.literals import LONG_MAX, LONG_MIN
from riacho.pipelines.sql.syntax.expressions import Column, LambdaFunction, LambdaVariable, Location, LongLiteral

_PARTS: dict[type, tuple[str, ...]] = {}


def _parts(kind: type) -> tuple[str, ...]:
    """The fields of a class that may hold others; none for what is no class of ours."""
    known = _PARTS.get(kind)
    if known is None:
        known = tuple(each.name for each in fields(kind) if each.name != "at") if is_dataclass(kind) else ()
        _PARTS[kind] = known
    return known


def checked(root: Any) -> Any:
    """The tree, when it is not too deep for those who walk over it recursively, and its numbers fit.

    Names that a lambda binds become its variables here: a rule sees the body before the parameters count.
    """
    has_lambda = False
    near: list[tuple[Any, int, Location | None]] = [(root, 1, None)]
    while near:
        node, depth, at = near.pop()
        if isinstance(node, tuple):
            near.extend((each, depth, at) for each in node if not isinstance(each, str))
            continue
        names = _parts(type(node))
        if not names:
            continue
        at = getattr(node, "at", None) or at
        if depth > NESTING_MAX:
            raise too_deep(at)
        if isinstance(node, LongLiteral) and not LONG_MIN <= node.value <= LONG_MAX:
            raise ParseError(f"Invalid numeric literal: {node.value}", *(at or (1, 1)))
        has_lambda = has_lambda or isinstance(node, LambdaFunction)
        for name in names:
            part = getattr(node, name)
            if isinstance(part, tuple) or _parts(type(part)):
                near.append((part, depth + 1, at))
    return _bound(root, frozenset()) if has_lambda else root


def _bound(node: Any, variables: frozenset[str]) -> Any:
    if isinstance(node, tuple) and not hasattr(node, "_fields"):
        made = tuple(_bound(each, variables) for each in node)
        return made if any(new is not old for new, old in zip(made, node, strict=True)) else node
    if isinstance(node, Column):
        is_variable = node.source is None and node.name in variables
        return LambdaVariable(node.name, at=node.at) if is_variable else node
    if isinstance(node, LambdaFunction):
        variables |= set(node.parameters)
    changed = {}
    for name in _parts(type(node)):
        part = getattr(node, name)
        made = _bound(part, variables)
        if made is not part:
            changed[name] = made
    return replace(node, **changed) if changed else node
