"""Plain conditions on rows that the server reads itself: columns compared with each other and with literals.

Not a second library of functions: whatever is more than this goes to Spark. A comparison with null is false, as it is
where Spark runs the same condition (`expressions/comparison.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Protocol

from riacho.pipelines.sql.syntax import expressions as syntax
from riacho.pipelines.sql.syntax.expressions import Expression
from riacho.pipelines.sql.types import BOOLEAN, DOUBLE, STRING, SqlType, is_number
from riacho.pipelines.sql.types import Decimal as DecimalType


class HasColumns(Protocol):
    """A row, of a source or of groups."""

    def column(self, name: str) -> Any: ...


Value = Callable[[HasColumns], Any]
Condition = Callable[[HasColumns], bool]

_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda left, right: left == right,
    "<>": lambda left, right: left != right,
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
}
_DOUBLES = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


class NotPlain(Exception):
    """The condition is for Spark."""


def condition_of(expression: Expression | None, types: Mapping[str, SqlType]) -> Condition:
    """NotPlain where it is more than comparisons of numbers, texts and booleans."""
    if expression is None:
        return lambda row: True
    match expression:
        case syntax.Logical(operator, operands):
            parts = [condition_of(operand, types) for operand in operands]
            combine = all if operator == "AND" else any
            return lambda row: combine(holds(row) for holds in parts)
        case syntax.Not(operand):
            inner = condition_of(operand, types)
            return lambda row: not inner(row)
        case syntax.IsNull(operand):
            value, _ = _value(operand, types)
            return lambda row: value(row) is None
        case syntax.IsNotNull(operand):
            value, _ = _value(operand, types)
            return lambda row: value(row) is not None
        case syntax.Comparison(operator, left, right):
            return _comparison(operator, left, right, types)
        case syntax.Between(operand, low, high):
            first = _comparison(">=", operand, low, types)
            second = _comparison("<=", operand, high, types)
            return lambda row: first(row) and second(row)
        case syntax.In(operand, items):
            return _among(operand, items, types)
        case syntax.Like(operand, syntax.StringLiteral(pattern), escape):
            value, family = _value(operand, types)
            if family != "text":
                raise NotPlain
            matches = _like(pattern, escape)
            return lambda row: (text := value(row)) is not None and matches(text)
        case syntax.BooleanLiteral(literal):
            return lambda row: literal
        case syntax.Column(name) if types.get(name) == BOOLEAN:
            return lambda row: row.column(name) is True
        case _:
            raise NotPlain


def _among(operand: Expression, items: Sequence[Expression], types: Mapping[str, SqlType]) -> Condition:
    """Literals may be many, and are not gone through: those that are equal have equal hashes, of whatever kind."""
    value, family = _value(operand, types)
    literals: set[Any] = set()
    tests: list[Condition] = []
    for item in items:
        if isinstance(item, syntax.Column):
            tests.append(_comparison("=", operand, item, types))
            continue
        literal, own = _value(item, types)
        if own != family:
            raise NotPlain
        literals.add(literal(_NO_ROW))

    def holds(row: HasColumns) -> bool:
        found = value(row)
        return (found is not None and found in literals) or any(test(row) for test in tests)

    return holds


class _NoRow:
    """What literals are read from."""

    def column(self, name: str) -> Any:
        raise AssertionError(f"a literal is no column {name}")


_NO_ROW = _NoRow()


def _comparison(operator: str, left: Expression, right: Expression, types: Mapping[str, SqlType]) -> Condition:
    (first, first_kind), (second, second_kind) = _value(left, types), _value(right, types)
    if first_kind != second_kind:
        raise NotPlain
    if operator in ("IS DISTINCT FROM", "IS NOT DISTINCT FROM"):
        wanted = operator == "IS DISTINCT FROM"
        return lambda row: (first(row) != second(row)) is wanted
    if first_kind == "boolean" and operator not in ("=", "<>"):
        raise NotPlain
    compare = _COMPARISONS[operator]

    def holds(row: HasColumns) -> bool:
        one, other = first(row), second(row)
        return one is not None and other is not None and compare(one, other)

    return holds


def _value(expression: Expression, types: Mapping[str, SqlType]) -> tuple[Value, str]:
    """How it is read, and of what family it is: only those of one are compared here."""
    match expression:
        case syntax.IntegerLiteral(number) | syntax.LongLiteral(number):
            return (lambda row: number), "number"
        case syntax.DecimalLiteral(text):
            exact = Decimal(text)
            return (lambda row: exact), "number"
        case syntax.DoubleLiteral(text):
            double = float(text)
            return (lambda row: double), "number"
        case syntax.StringLiteral(text):
            return (lambda row: text), "text"
        case syntax.BooleanLiteral(flag):
            return (lambda row: flag), "boolean"
        case syntax.Column(name):
            return _column(name, types.get(name))
        case _:
            raise NotPlain


def _column(name: str, kind: SqlType | None) -> tuple[Value, str]:
    if isinstance(kind, DecimalType):
        return (lambda row: _exact(row.column(name))), "number"
    if kind == DOUBLE:
        return (lambda row: _double(row.column(name))), "number"
    if is_number(kind):
        return (lambda row: row.column(name)), "number"
    if kind == STRING:
        return (lambda row: row.column(name)), "text"
    if kind == BOOLEAN:
        return (lambda row: row.column(name)), "boolean"
    raise NotPlain


def _like(pattern: str, escape: str | None) -> Callable[[str], bool]:
    """% alone, or _ alone: in linear time, whatever the texts are. The rest is Spark's business."""
    if escape is not None or ("%" in pattern and "_" in pattern):
        raise NotPlain
    if "%" not in pattern:
        return lambda text: (
            len(text) == len(pattern)
            and all(wanted in ("_", letter) for wanted, letter in zip(pattern, text, strict=True))
        )
    first, *middle, last = pattern.split("%")

    def matches(text: str) -> bool:
        if len(text) < len(first) + len(last) or not (text.startswith(first) and text.endswith(last)):
            return False
        at, end = len(first), len(text) - len(last)
        for piece in middle:
            found = text.find(piece, at, end)
            if found < 0:
                return False
            at = found + len(piece)
        return True

    return matches


def _exact(text: str | None) -> Decimal | None:
    return None if text is None else Decimal(text)


def _double(value: float | str | None) -> float | None:
    return _DOUBLES[value] if isinstance(value, str) else value
