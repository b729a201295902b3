"""AND, OR, NOT, IN, BETWEEN and IS NULL."""

from __future__ import annotations

from collections.abc import Sequence

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions.binding import let
from riacho.pipelines.sql.expressions.coercion import coerce_list
from riacho.pipelines.sql.expressions.comparison import compare, compared
from riacho.pipelines.sql.expressions.compiled import Compiled, typed_null
from riacho.pipelines.sql.types import BOOLEAN, Map, walk


def logical(operator: str, left: Compiled, right: Compiled) -> Compiled:
    """As Java does it: the right side counts only where the left does not decide, and a null that counts is the
    result."""
    a, b = as_boolean(left, operator), as_boolean(right, operator)
    nullable = a.nullable or b.nullable
    if not a.nullable:
        return Compiled(f"({a.text} {operator} {b.text})", BOOLEAN, nullable=nullable)
    condition = "{x}" if operator == "AND" else "NOT {x}"
    text = let(a.text, lambda x: f"IF({condition.format(x=x)}, {b.text}, {x})")
    return Compiled(text, BOOLEAN, nullable=nullable)


def negation(operand: Compiled) -> Compiled:
    value = as_boolean(operand, "NOT")
    return Compiled(f"(NOT {value.text})", BOOLEAN, nullable=value.nullable)


def as_boolean(value: Compiled, operator: str) -> Compiled:
    if value.type is None:
        return typed_null(BOOLEAN)
    if value.type != BOOLEAN:
        raise KsqlError(f"{operator} takes BOOLEAN, but {value.source} is {value.type}.")
    return value


def is_null(operand: Compiled) -> Compiled:
    return Compiled(f"({operand.text} IS NULL)", BOOLEAN, nullable=False)


def is_not_null(operand: Compiled) -> Compiled:
    return Compiled(f"({operand.text} IS NOT NULL)", BOOLEAN, nullable=False)


def between(operand: Compiled, low: Compiled, high: Compiled) -> Compiled:
    above, below = compare(">=", operand, low), compare("<=", operand, high)
    return Compiled(f"({above.text} AND {below.text})", BOOLEAN, nullable=False)


def contained(operand: Compiled, items: Sequence[Compiled]) -> Compiled:
    """IN: nulls in the list match nothing, and a null is in no list."""
    kind, (value, *candidates) = coerce_list((operand, *items))
    if kind is None:
        return Compiled("false", BOOLEAN, nullable=False)
    if any(isinstance(part, Map) for part in walk(kind)):
        checks = " OR ".join(compared("=", value, item).text for item in candidates)
        return Compiled(f"({checks})", BOOLEAN, nullable=False)
    listed = ", ".join(item.text for item in candidates)
    return Compiled(f"coalesce({value.text} IN ({listed}), false)", BOOLEAN, nullable=False)
