"""+ - * / % as Java computes them: integers wrap and truncate, doubles have infinities, decimals are exact."""

from __future__ import annotations

import decimal
from collections.abc import Sequence

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions.binding import let_all
from riacho.pipelines.sql.expressions.bounds import check_depth, check_text
from riacho.pipelines.sql.expressions.chains import SHORT, folded
from riacho.pipelines.sql.expressions.coercion import widest
from riacho.pipelines.sql.expressions.compiled import Compiled
from riacho.pipelines.sql.expressions.decimals import decimal_of, result_type
from riacho.pipelines.sql.expressions.failure import failures, null_failure
from riacho.pipelines.sql.types import (
    BIGINT,
    DOUBLE,
    INTEGER,
    STRING,
    Decimal,
    SqlType,
    is_number,
    is_wide,
    spark_type,
)


def chain(operator: str, operands: Sequence[Compiled]) -> Compiled:
    """From the left. A long one goes over an array, as far as its type stays the same."""
    result, at, depth = operands[0], 1, 0
    while at < len(operands):
        end = _run(operator, result, operands, at)
        if end - at > SHORT:
            result = _long(operator, result, operands[at:end])
        else:
            end = at + 1
            result = arithmetic(operator, result, operands[at])
        at, depth = end, depth + 1
        check_depth(depth)
        check_text(result.text)
    return result


def _run(operator: str, first: Compiled, operands: Sequence[Compiled], at: int) -> int:
    """How far the result keeps its type."""
    kind = first.type
    if operator in "+-*" and kind in (INTEGER, BIGINT, DOUBLE, STRING):
        while at < len(operands) and arithmetic_type(operator, kind, operands[at].type) == kind:
            at += 1
    return at


def _long(operator: str, first: Compiled, others: Sequence[Compiled]) -> Compiled:
    parts = (first, *others)
    kind = first.type
    if kind == STRING:
        text = f"concat({', '.join(map(_java_text, parts))})"
        return Compiled(text, STRING, nullable=False, failure=failures(parts), shows_failure=False)
    assert kind is not None
    text = folded([_number(part, kind) for part in parts], f"_a {operator} _x")
    if not any(part.nullable for part in parts):
        return Compiled(text, kind, nullable=False)
    shows_failure = all(part.shows_failure for part in parts)
    return Compiled(text, kind, failure=null_failure(text, parts), shows_failure=shows_failure)


def arithmetic(operator: str, left: Compiled, right: Compiled) -> Compiled:
    kind = arithmetic_type(operator, left.type, right.type)
    if kind == STRING:
        text, failure = f"concat({_java_text(left)}, {_java_text(right)})", failures((left, right))
        return Compiled(text, STRING, nullable=False, failure=failure, shows_failure=False)
    text = _number_text(operator, left, right, kind)
    if not left.nullable and not right.nullable and (operator not in "/%" or kind == DOUBLE):
        return Compiled(text, kind, nullable=False)
    shows_failure = left.shows_failure and right.shows_failure
    return Compiled(text, kind, failure=null_failure(text, (left, right)), shows_failure=shows_failure)


def _number_text(operator: str, left: Compiled, right: Compiled, kind: SqlType) -> str:
    if isinstance(kind, Decimal):
        return _decimal_text(operator, left, right, kind)
    if kind == DOUBLE and operator in "/%":
        return _double_division(operator, left, right)
    if operator == "/":
        return f"CAST({left.text} div {right.text} AS {spark_type(kind)})"
    return f"({_number(left, kind)} {operator} {_number(right, kind)})"


def arithmetic_type(operator: str, left: SqlType | None, right: SqlType | None) -> SqlType:
    if left is None or right is None:
        raise KsqlError(f"Arithmetic on types {_shown(left)} and {_shown(right)} are not supported.")
    if left == STRING and right == STRING and operator == "+":
        return STRING
    if not is_number(left) or not is_number(right):
        raise KsqlError(f"Unsupported arithmetic types. {_base_name(left)} {_base_name(right)}")
    kind = widest(left, right)
    return result_type(operator, decimal_of(left), decimal_of(right)) if isinstance(kind, Decimal) else kind


def negated(operand: Compiled) -> Compiled:
    if not is_number(operand.type):
        raise KsqlError(f"Unsupported arithmetic types. {_shown(operand.type)}")
    literal = operand.literal
    if isinstance(literal, int | float | decimal.Decimal) and not isinstance(literal, bool):
        return Compiled(f"(- {operand.text})", operand.type, literal=-literal, nullable=False)
    text = f"(- {operand.text})"
    if isinstance(operand.type, Decimal) and is_wide(operand.type):
        text = wide_arithmetic("-", "0", operand.text, operand.type)
    if not operand.nullable:
        return Compiled(text, operand.type, nullable=False)
    failure = null_failure(text, (operand,))
    return Compiled(text, operand.type, failure=failure, shows_failure=operand.shows_failure)


def _number(value: Compiled, kind: SqlType) -> str:
    """Spark would compute a DECIMAL with a DOUBLE, and a BIGINT with an INTEGER, as we want it; said once more."""
    return value.text if value.type == kind or kind == BIGINT else f"CAST({value.text} AS {spark_type(kind)})"


def _java_text(value: Compiled) -> str:
    """A null that is added to a string is the word null, as it is in Java."""
    return f"coalesce({value.text}, 'null')" if value.nullable else value.text


def _double_division(operator: str, left: Compiled, right: Compiled) -> str:
    """Spark has null where a divisor is zero; Java has infinities, and NaN for remainders."""
    a, b = _number(left, DOUBLE), _number(right, DOUBLE)
    if isinstance(right.literal, int | float | decimal.Decimal) and right.literal != 0:
        return f"({a} {operator} {b})"
    by_zero = "{a} * power({b}, -1D)" if operator == "/" else "{a} * CAST('NaN' AS DOUBLE)"
    return let_all((a, b), lambda x, y: f"IF({y} = 0D, {by_zero.format(a=x, b=y)}, {x} {operator} {y})")


def _decimal_text(operator: str, left: Compiled, right: Compiled, kind: Decimal) -> str:
    assert left.type is not None
    assert right.type is not None
    if any(map(is_wide, (kind, left.type, right.type))):
        return wide_arithmetic(operator, left.text, right.text, kind)
    a = _as_decimal(left, decimal_of(left.type))
    b = _as_decimal(right, decimal_of(right.type))
    target = spark_type(kind)
    if operator != "/":
        return f"CAST({a} {operator} {b} AS {target})"

    def quotient(x: str, y: str) -> str:
        # A quotient that has no end, or more digits than its type, cannot be given exactly: ksqlDB gives null.
        value = f"CAST({x} / {y} AS {target})"
        return f"IF({value} * {y} = {x}, {value}, NULL)"

    return let_all((a, b), quotient)


def wide_arithmetic(operator: str, left: str, right: str, kind: Decimal) -> str:
    texts = f"CAST({left} AS STRING), CAST({right} AS STRING)"
    text = f"riacho_decimal('{operator}', {texts}, {kind.precision}, {kind.scale})"
    return text if is_wide(kind) else f"CAST({text} AS {spark_type(kind)})"


def _as_decimal(value: Compiled, kind: Decimal) -> str:
    return value.text if value.type == kind else f"CAST({value.text} AS {spark_type(kind)})"


def _base_name(kind: SqlType) -> str:
    text = "DECIMAL" if isinstance(kind, Decimal) else str(kind)
    return text.split("<")[0]


def _shown(kind: SqlType | None) -> str:
    return "null" if kind is None else str(kind)
