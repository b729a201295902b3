"""Calls of functions: the signature is chosen by the arguments, lambdas are compiled when their inputs are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions.binding import PYTHON_PREFIX
from riacho.pipelines.sql.expressions.coercion import coerce
from riacho.pipelines.sql.expressions.compiled import Compiled
from riacho.pipelines.sql.expressions.failure import any_of, guarded
from riacho.pipelines.sql.functions.choosing import (
    Bindings,
    Chosen,
    LambdaSlot,
    Slot,
    UnitSlot,
    bind_result,
    bound,
    choose,
)
from riacho.pipelines.sql.functions.function import Argument, Function, LambdaOf
from riacho.pipelines.sql.functions.wording import shown_name
from riacho.pipelines.sql.syntax.expressions import Expression, IntervalUnit, LambdaFunction
from riacho.pipelines.sql.types import Array, Lambda, Map, SqlType

CompileLambda = Callable[[LambdaFunction, Sequence[SqlType]], tuple[str, Compiled]]
"""Gives the names of the parameters as Spark sees them, with commas between, and the body."""


def call(
    function: Function,
    expressions: Sequence[Expression],
    compile_value: Callable[[Expression], Compiled],
    compile_lambda: CompileLambda,
) -> Compiled:
    values: list[Compiled | None] = []
    slots: list[Slot] = []
    for expression in expressions:
        match expression:
            case LambdaFunction(parameters, _):
                slots.append(LambdaSlot(len(parameters)))
                values.append(None)
            case IntervalUnit(unit):
                slots.append(UnitSlot(unit))
                values.append(Compiled(unit, None))
            case _:
                compiled = compile_value(expression)
                slots.append(compiled.type)
                values.append(compiled)
    chosen = choose(function, slots)
    arguments: list[Argument] = []
    conditions = [value.failure for value in values if value is not None]
    for index, (expression, value) in enumerate(zip(expressions, values, strict=True)):
        if isinstance(expression, LambdaFunction):
            argument, condition = _lambda(function, chosen, index, expression, compile_lambda)
            arguments.append(argument)
            conditions.append(_somewhere(values[0], condition))
        elif value is not None:
            arguments.append(_argument(chosen, index, value))
    failure = any_of(conditions)
    text = chosen.signature.sql(arguments)
    return Compiled(text, _result(chosen, arguments), failure=failure, shows_failure=not failure)


def _argument(chosen: Chosen, index: int, value: Compiled) -> Argument:
    expected = bound(chosen.patterns[index], chosen.bindings, value.type)
    if expected is None:
        return Argument(value.text, value.type, value.literal)
    coerced = coerce(value, expected)
    return Argument(coerced.text, coerced.type, value.literal)


def _lambda(
    function: Function, chosen: Chosen, index: int, expression: LambdaFunction, compile_lambda: CompileLambda
) -> tuple[Argument, str]:
    """The lambda, and another that says where it would throw, '' where it never does."""
    pattern = chosen.patterns[index]
    assert isinstance(pattern, LambdaOf)
    inputs = [bound(each, chosen.bindings) for each in pattern.inputs]
    known = [kind for kind in inputs if kind is not None]
    if len(known) < len(inputs):
        raise KsqlError(f"The inputs of the lambda of function '{shown_name(function)}' have no type.")
    names, value = compile_lambda(expression, known)
    if PYTHON_PREFIX in value.text:
        raise KsqlError(f"Functions that are computed in Python cannot be called in a lambda: {value.source}")
    body = guarded(value)
    result = _lambda_result(function, pattern, body, chosen.bindings)
    # Spark takes no parentheses around a parameter that is alone.
    listed = names if len(known) == 1 else f"({names})"
    argument = Argument(f"{listed} -> {result.text}", Lambda(tuple(known), result.type) if result.type else None)
    return argument, f"{listed} -> {value.failure}" if value.failure else ""


def _somewhere(collection: Compiled | None, condition: str) -> str:
    """Whether a lambda throws for an element. A state that a lambda passes on is null by itself after that."""
    if not condition or collection is None:
        return ""
    match collection.type:
        case Array() if not condition.startswith("("):
            return f"coalesce(exists({collection.text}, {condition}), false)"
        case Map() if condition.count(",", 0, condition.index("->")) == 1:
            held = f"map_values(transform_values({collection.text}, {condition}))"
            return f"coalesce(exists({held}, _held -> _held), false)"
        case _:
            return ""


def _lambda_result(function: Function, pattern: LambdaOf, body: Compiled, bindings: Bindings) -> Compiled:
    if not bind_result(pattern.result, body.type, bindings):
        expected = bound(pattern.result, bindings)
        raise KsqlError(
            f"Function '{shown_name(function)}' takes a lambda that gives {expected}, but {body.source} is {body.type}."
        )
    expected = bound(pattern.result, bindings, body.type)
    return body if expected is None else coerce(body, expected)


def _result(chosen: Chosen, arguments: Sequence[Argument]) -> SqlType | None:
    result = chosen.signature.result
    if callable(result):
        return result([argument.type for argument in arguments])
    # A decimal that comes out is as wide as the first that went in.
    from_decimal = next((argument.type for argument in arguments), None)
    return bound(result, chosen.bindings, from_decimal)
