"""AND, OR, NOT, IN, BETWEEN and IS NULL."""

from __future__ import annotations

from collections.abc import Sequence

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions.binding import let
from riacho.pipelines.sql.expressions.coercion import coerce_list
from riacho.pipelines.sql.expressions.comparison import compare, compared
from riacho.pipelines.sql.expressions.compiled import Compiled, typed_null
from riacho.pipelines.sql.expressions.failure import any_of, failures, throwing_on_null
from riacho.pipelines.sql.types import BOOLEAN, Map, walk


def logical(operator: str, left: Compiled, right: Compiled) -> Compiled:
    """As Java does it: the right side counts only where the left does not decide, and a null that counts is the
    result."""
    a, b = as_boolean(left, operator), as_boolean(right, operator)
    decides = "{x}" if operator == "AND" else "NOT {x}"
    if a.nullable:
        text = let(a.text, lambda x: f"IF({decides.format(x=x)}, {b.text}, {x})")
    else:
        text = f"({a.text} {operator} {b.text})"
    second = throwing_on_null(b)
    failure = any_of((throwing_on_null(a), f"({decides.format(x=a.text)} AND {second})" if second else ""))
    nullable = a.nullable or b.nullable
    return Compiled(text, BOOLEAN, nullable=nullable, failure=failure, shows_failure=_both_show(a, b))


def _both_show(*parts: Compiled) -> bool:
    return all(part.shows_failure for part in parts)


def negation(operand: Compiled) -> Compiled:
    value = as_boolean(operand, "NOT")
    return Compiled(
        f"(NOT {value.text})",
        BOOLEAN,
        nullable=value.nullable,
        failure=throwing_on_null(value),
        shows_failure=value.shows_failure,
    )


def as_boolean(value: Compiled, operator: str) -> Compiled:
    if value.type is None:
        return typed_null(BOOLEAN)
    if value.type != BOOLEAN:
        raise KsqlError(f"{operator} takes BOOLEAN, but {value.source} is {value.type}.")
    return value


def is_null(operand: Compiled) -> Compiled:
    return _certain(f"({operand.text} IS NULL)", (operand,))


def is_not_null(operand: Compiled) -> Compiled:
    return _certain(f"({operand.text} IS NOT NULL)", (operand,))


def between(operand: Compiled, low: Compiled, high: Compiled) -> Compiled:
    above, below = compare(">=", operand, low), compare("<=", operand, high)
    return _certain(f"({above.text} AND {below.text})", (above, below))


def contained(operand: Compiled, items: Sequence[Compiled]) -> Compiled:
    """IN: nulls in the list match nothing, and a null is in no list."""
    kind, (value, *candidates) = coerce_list((operand, *items))
    if kind is None:
        return _certain("false", (operand,))
    if any(isinstance(part, Map) for part in walk(kind)):
        checks = " OR ".join(compared("=", value, item).text for item in candidates)
        return _certain(f"({checks})", (value, *candidates))
    listed = ", ".join(item.text for item in candidates)
    return _certain(f"coalesce({value.text} IN ({listed}), false)", (value, *candidates))


def _certain(text: str, parts: Sequence[Compiled]) -> Compiled:
    failure = failures(parts)
    return Compiled(text, BOOLEAN, nullable=False, failure=failure, shows_failure=not failure)
