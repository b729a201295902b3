"""Comparisons: which types can be compared, and how. Where a side is null the outcome is false, never null."""

from __future__ import annotations

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions.casting import cast
from riacho.pipelines.sql.expressions.coercion import can_coerce, common_type
from riacho.pipelines.sql.expressions.compiled import Compiled
from riacho.pipelines.sql.expressions.failure import failures
from riacho.pipelines.sql.types import (
    BOOLEAN,
    BYTES,
    DATE,
    STRING,
    TIME,
    TIMES,
    TIMESTAMP,
    Array,
    Map,
    SqlType,
    Struct,
    is_number,
    is_wide,
    walk,
)

OPERATOR_NAMES = {
    "=": "EQUAL",
    "<>": "NOT_EQUAL",
    "<": "LESS_THAN",
    "<=": "LESS_THAN_OR_EQUAL",
    ">": "GREATER_THAN",
    ">=": "GREATER_THAN_OR_EQUAL",
    "IS DISTINCT FROM": "IS_DISTINCT_FROM",
    "IS NOT DISTINCT FROM": "IS_NOT_DISTINCT_FROM",
}
_EQUALITY = {"=", "<>", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"}


def compare(operator: str, left: Compiled, right: Compiled) -> Compiled:
    if left.type is None or right.type is None:
        raise KsqlError(
            f"Comparison with NULL not supported: {_base_name(left.type)} {operator} {_base_name(right.type)}. "
            "Use 'IS NULL' or 'IS NOT NULL' instead."
        )
    if not is_comparable(operator, left.type, right.type):
        raise KsqlError(
            f"Cannot compare {left.source} ({left.type}) to {right.source} ({right.type}) "
            f"with {OPERATOR_NAMES[operator]}."
        )
    return compared(operator, *_same_type(left, right))


def compared(operator: str, left: Compiled, right: Compiled) -> Compiled:
    """For sides of types that Spark compares as they are."""
    text, failure = _compared(operator, left, right), failures((left, right))
    return Compiled(text, BOOLEAN, nullable=False, failure=failure, shows_failure=not failure)


def _compared(operator: str, left: Compiled, right: Compiled) -> str:
    a, b = _orderable(left), _orderable(right)
    if is_wide(left.type) or is_wide(right.type):
        return _wide(operator, a, b)
    if operator == "IS DISTINCT FROM":
        return f"(NOT ({a} <=> {b}))"
    # Unlike `=` this is never null, and true only where both sides are there or both are not.
    if operator == "IS NOT DISTINCT FROM" or (operator == "=" and not (left.nullable and right.nullable)):
        return f"({a} <=> {b})"
    if not left.nullable and not right.nullable:
        return f"({a} {operator} {b})"
    return f"coalesce({a} {operator} {b}, false)"


def _wide(operator: str, a: str, b: str) -> str:
    order = f"riacho_compared_decimals(CAST({a} AS STRING), CAST({b} AS STRING))"
    if "DISTINCT" not in operator:
        return f"coalesce({order} {operator} 0, false)"
    same = f"IF({a} IS NULL OR {b} IS NULL, {a} IS NULL AND {b} IS NULL, {order} = 0)"
    return same if operator == "IS NOT DISTINCT FROM" else f"(NOT {same})"


def is_comparable(operator: str, left: SqlType, right: SqlType) -> bool:
    match left, right:
        case _ if is_number(left):
            return is_number(right)
        case _ if left == STRING:
            return right == STRING or right in TIMES
        case _ if left == BOOLEAN:
            return right == BOOLEAN and operator in _EQUALITY
        case _ if left == TIME:
            return right in (TIME, STRING)
        case _ if left in (DATE, TIMESTAMP):
            return right in (DATE, TIMESTAMP, STRING)
        case _ if left == BYTES:
            return right == BYTES
        case (Array(), Array()) | (Map(), Map()) | (Struct(), Struct()):
            return operator in _EQUALITY and (can_coerce(left, right) or can_coerce(right, left))
        case _:
            return False


def _same_type(left: Compiled, right: Compiled) -> tuple[Compiled, Compiled]:
    assert left.type is not None
    assert right.type is not None
    if left.type == right.type or (is_number(left.type) and is_number(right.type)):
        return left, right
    if left.type in TIMES or right.type in TIMES:
        target = _time_type(left.type, right.type)
    else:
        common = common_type((left.type, right.type))
        assert common is not None
        target = common
    return _converted(left, target), _converted(right, target)


def _time_type(left: SqlType, right: SqlType) -> SqlType:
    """Strings are read as the time on the other side; a date beside a timestamp is its first moment."""
    if STRING in (left, right):
        return right if left == STRING else left
    return TIMESTAMP


def _converted(value: Compiled, target: SqlType) -> Compiled:
    if value.type == target:
        return value
    return cast(value, target)


def _orderable(value: Compiled) -> str:
    """Spark compares no maps: their entries, in order, say the same."""
    assert value.type is not None
    if not any(isinstance(kind, Map) for kind in walk(value.type)):
        return value.text
    return _entries(value.text, value.type, 0)


def _entries(text: str, kind: SqlType, depth: int) -> str:
    x = f"_m{depth}"
    match kind:
        case Map(_, value):
            entry = f"named_struct('key', {x}.key, 'value', {_entries(f'{x}.value', value, depth + 1)})"
            return f"sort_array(transform(map_entries({text}), {x} -> {entry}))"
        case Array(item):
            return f"transform({text}, {x} -> {_entries(x, item, depth + 1)})"
        case Struct(fields):
            parts = ", ".join(_entries(f"{text}.`{field.name}`", field.type, depth + 1) for field in fields)
            return f"IF({text} IS NULL, NULL, struct({parts}))"
        case _:
            return text


def _base_name(kind: SqlType | None) -> str:
    return "NULL" if kind is None else str(kind).split("<")[0].split("(")[0]
