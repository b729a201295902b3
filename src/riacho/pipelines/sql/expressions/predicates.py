"""AND, OR, NOT, IN, BETWEEN and IS NULL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions.binding import let
from riacho.pipelines.sql.expressions.chains import SHORT, folded
from riacho.pipelines.sql.expressions.coercion import coerce_list
from riacho.pipelines.sql.expressions.comparison import compare, compared
from riacho.pipelines.sql.expressions.compiled import Compiled, typed_null
from riacho.pipelines.sql.expressions.failure import failures, guarded
from riacho.pipelines.sql.types import BOOLEAN, Map, walk


def logical(operator: str, operands: Sequence[Compiled]) -> Compiled:
    """As Java does it, from the left: what follows counts only where nothing before it decided, and a null that counts
    is an error."""
    parts = [guarded(as_boolean(operand, operator)) for operand in operands]
    result = parts[0]
    if not any(part.nullable for part in parts[:-1]):
        result = Compiled(
            f"({f' {operator} '.join(part.text for part in parts)})", BOOLEAN, nullable=parts[-1].nullable
        )
    elif len(parts) <= SHORT:
        for part in parts[1:]:
            result = _both(operator, result, part)
    else:
        decides = "_a" if operator == "AND" else "NOT _a"
        result = Compiled(folded([part.text for part in parts], f"IF({decides}, _x, _a)"), BOOLEAN)
    failure = f"({result.text} IS NULL)" if result.nullable else ""
    return replace(result, failure=failure)


def _both(operator: str, left: Compiled, right: Compiled) -> Compiled:
    nullable = left.nullable or right.nullable
    if not left.nullable:
        return Compiled(f"({left.text} {operator} {right.text})", BOOLEAN, nullable=nullable)
    decides = "{x}" if operator == "AND" else "NOT {x}"
    text = let(left.text, lambda x: f"IF({decides.format(x=x)}, {right.text}, {x})")
    return Compiled(text, BOOLEAN, nullable=nullable)


def negation(operand: Compiled) -> Compiled:
    value = guarded(as_boolean(operand, "NOT"))
    text = f"(NOT {value.text})"
    return Compiled(text, BOOLEAN, nullable=value.nullable, failure=f"({text} IS NULL)" if value.nullable else "")


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
