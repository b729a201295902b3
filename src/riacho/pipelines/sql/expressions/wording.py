"""Expressions as errors name them: compound ones in parentheses, names as they are, strings in single quotes."""

from __future__ import annotations

from riacho.pipelines.sql.syntax import expressions as syntax
from riacho.pipelines.sql.syntax.expressions import Expression, TypeName

# An error is read by a person: of a large expression its beginning is enough.
LENGTH_MAX = 2_000


def wording(expression: Expression) -> str:
    text = _text(expression, 0)
    return text if len(text) <= LENGTH_MAX else text[:LENGTH_MAX] + "..."


def _text(expression: Expression, depth: int) -> str:
    if depth > 40:
        return "..."

    def inner(part: Expression) -> str:
        return _text(part, depth + 1)

    match expression:
        case syntax.NullLiteral():
            return "null"
        case syntax.BooleanLiteral(value):
            return "true" if value else "false"
        case syntax.IntegerLiteral(number) | syntax.LongLiteral(number):
            return str(number)
        case syntax.DoubleLiteral(digits) | syntax.DecimalLiteral(digits):
            return digits
        case syntax.StringLiteral(value):
            return "'" + value.replace("'", "''") + "'"
        case syntax.IntervalUnit(unit):
            return unit
        case syntax.Column(name, source):
            return name if source is None else f"{source}.{name}"
        case syntax.LambdaVariable(name):
            return name
        case syntax.Arithmetic(operator, left, right) | syntax.Comparison(operator, left, right):
            return f"({inner(left)} {operator} {inner(right)})"
        case syntax.Logical(operator, left, right):
            return f"({inner(left)} {operator} {inner(right)})"
        case syntax.Sign(operator, operand):
            return f"{operator}{inner(operand)}"
        case syntax.Not(operand):
            return f"(NOT {inner(operand)})"
        case syntax.IsNull(operand):
            return f"({inner(operand)} IS NULL)"
        case syntax.IsNotNull(operand):
            return f"({inner(operand)} IS NOT NULL)"
        case syntax.Between(operand, low, high):
            return f"({inner(operand)} BETWEEN {inner(low)} AND {inner(high)})"
        case syntax.In(operand, items):
            return f"({inner(operand)} IN ({', '.join(map(inner, items))}))"
        case syntax.Like(operand, pattern, escape):
            ending = "" if escape is None else f" ESCAPE '{escape}'"
            return f"({inner(operand)} LIKE {inner(pattern)}{ending})"
        case syntax.SearchedCase(whens, default):
            return f"(CASE{_branches(whens, default, depth)} END)"
        case syntax.SimpleCase(operand, whens, default):
            return f"(CASE {inner(operand)}{_branches(whens, default, depth)} END)"
        case syntax.Cast(operand, type):
            return f"CAST({inner(operand)} AS {type_wording(type)})"
        case syntax.FunctionCall(name, arguments):
            return f"{name}({', '.join(map(inner, arguments))})"
        case syntax.LambdaFunction(parameters, body):
            return f"({', '.join(parameters)}) => {inner(body)}"
        case syntax.Subscript(base, index):
            return f"{inner(base)}[{inner(index)}]"
        case syntax.Dereference(base, field):
            return f"{inner(base)}->{field}"
        case syntax.StructAll(base):
            return f"{inner(base)}->*"
        case syntax.CreateArray(items):
            return f"ARRAY[{', '.join(map(inner, items))}]"
        case syntax.CreateMap(entries):
            return f"MAP({', '.join(f'{inner(key)}:={inner(value)}' for key, value in entries)})"
        case syntax.CreateStruct(fields):
            return f"STRUCT({', '.join(f'{name}:={inner(value)}' for name, value in fields)})"


def _branches(whens: tuple[syntax.When, ...], default: Expression | None, depth: int) -> str:
    text = "".join(f" {when_wording(when, depth)}" for when in whens)
    return text if default is None else f"{text} ELSE {_text(default, depth + 1)}"


def when_wording(when: syntax.When, depth: int = 0) -> str:
    return f"WHEN {_text(when.condition, depth + 1)} THEN {_text(when.result, depth + 1)}"


def type_wording(name: TypeName) -> str:
    match name:
        case syntax.CustomType(custom):
            return custom
        case syntax.KnownType(kind):
            return str(kind)
        case syntax.ArrayName(item):
            return f"ARRAY<{type_wording(item)}>"
        case syntax.MapName(key, value):
            return f"MAP<{type_wording(key)}, {type_wording(value)}>"
        case syntax.StructName(fields):
            return "STRUCT<" + ", ".join(f"{field} {type_wording(kind)}" for field, kind in fields) + ">"
