"""Expressions as text: parentheses around everything that has an operator, so precedence needs no thought."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import assert_never

from riacho.pipelines.sql.parsing.keywords import FUNCTIONS_OF_UNITS, UNITS
from riacho.pipelines.sql.printing.names import identifier_text, string_text
from riacho.pipelines.sql.printing.types import type_text
from riacho.pipelines.sql.syntax import expressions as syntax
from riacho.pipelines.sql.syntax.expressions import Expression
from riacho.pipelines.sql.types import quoted

_NESTED_MAX = 20


def expression_text(expression: Expression) -> str:
    match expression:
        case syntax.NullLiteral():
            return "null"
        case syntax.BooleanLiteral(value):
            return "true" if value else "false"
        case syntax.IntegerLiteral(number) | syntax.LongLiteral(number):
            return str(number)
        case syntax.DoubleLiteral(text) | syntax.DecimalLiteral(text):
            return text
        case syntax.StringLiteral(text):
            return string_text(text)
        case syntax.IntervalUnit(unit):
            return unit
        case syntax.Column(name, source):
            return identifier_text(name) if source is None else f"{identifier_text(source)}.{identifier_text(name)}"
        case syntax.LambdaVariable(name):
            return identifier_text(name)
        case syntax.Arithmetic(operator, operands) | syntax.Logical(operator, operands):
            return _chain(operator, operands)
        case syntax.Comparison(operator, left, right):
            return f"({expression_text(left)} {operator} {expression_text(right)})"
        case syntax.Sign(operator, operand):
            text = expression_text(operand)
            # Two minus signs begin a comment.
            return f"{operator} {text}" if text.startswith(("-", "+")) else f"{operator}{text}"
        case syntax.Not(operand):
            return f"(NOT {expression_text(operand)})"
        case syntax.IsNull(operand):
            return f"({expression_text(operand)} IS NULL)"
        case syntax.IsNotNull(operand):
            return f"({expression_text(operand)} IS NOT NULL)"
        case syntax.Between(operand, low, high):
            return f"({expression_text(operand)} BETWEEN {expression_text(low)} AND {expression_text(high)})"
        case syntax.In(operand, items):
            return f"({expression_text(operand)} IN ({_list(items)}))"
        case syntax.Like(operand, pattern, escape):
            ending = "" if escape is None else f" ESCAPE {string_text(escape)}"
            return f"({expression_text(operand)} LIKE {expression_text(pattern)}{ending})"
        case syntax.SearchedCase(whens, default):
            return f"(CASE{_branches(whens, default)} END)"
        case syntax.SimpleCase(operand, whens, default):
            return f"(CASE {expression_text(operand)}{_branches(whens, default)} END)"
        case syntax.Cast(operand, kind):
            return f"CAST({expression_text(operand)} AS {type_text(kind)})"
        case syntax.FunctionCall(name, arguments):
            return f"{identifier_text(name)}({_arguments(name, arguments)})"
        case syntax.LambdaFunction(parameters, body):
            names = ", ".join(map(identifier_text, parameters))
            return f"({names}) => {expression_text(body)}"
        case syntax.Subscript(base, index):
            return f"{_base(base)}[{expression_text(index)}]"
        case syntax.Dereference(base, field):
            return f"{_base(base)}->{identifier_text(field)}"
        case syntax.StructAll(base):
            return f"{_base(base)}->*"
        case syntax.CreateArray(items):
            return f"ARRAY[{_list(items)}]"
        case syntax.CreateMap(entries):
            return f"MAP({', '.join(f'{expression_text(key)}:={expression_text(value)}' for key, value in entries)})"
        case syntax.CreateStruct(fields):
            return (
                f"STRUCT({', '.join(f'{identifier_text(name)}:={expression_text(value)}' for name, value in fields)})"
            )
        case _:
            assert_never(expression)


def _chain(operator: str, operands: Sequence[Expression]) -> str:
    """((A + B) + C), as ksqlDB shows it; of a long one (A + B + C), since brackets may not be that deep."""
    first, *others = map(expression_text, operands)
    if len(others) > _NESTED_MAX:
        return f"({f' {operator} '.join((first, *others))})"
    return "(" * len(others) + first + "".join(f" {operator} {each})" for each in others)


def _list(items: Iterable[Expression]) -> str:
    return ", ".join(map(expression_text, items))


def _arguments(name: str, arguments: tuple[Expression, ...]) -> str:
    first = arguments[0] if arguments else None
    if name in FUNCTIONS_OF_UNITS and isinstance(first, syntax.Column) and first.source is None and first.name in UNITS:
        # A column of that name, where a unit would be read.
        return ", ".join([quoted(first.name), *map(expression_text, arguments[1:])])
    return _list(arguments)


def _base(base: Expression) -> str:
    """What stands before [ and ->, which bind closer than a sign does."""
    text = expression_text(base)
    return f"({text})" if text.startswith(("-", "+")) else text


def _branches(whens: tuple[syntax.When, ...], default: Expression | None) -> str:
    text = "".join(f" WHEN {expression_text(each.condition)} THEN {expression_text(each.result)}" for each in whens)
    return text if default is None else f"{text} ELSE {expression_text(default)}"
