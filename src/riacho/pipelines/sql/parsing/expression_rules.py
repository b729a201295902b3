"""Expressions: from rules of expressions.lark to values."""

from __future__ import annotations

from lark import Token, Transformer, v_args

from riacho.pipelines.sql.errors import ParseError
from riacho.pipelines.sql.parsing.keywords import UNITS
from riacho.pipelines.sql.parsing.literals import Name, location, negated_number, unquoted, whole_number
from riacho.pipelines.sql.syntax import expressions as syntax
from riacho.pipelines.sql.syntax.expressions import Expression, TypeName

_NUMBERS = (syntax.IntegerLiteral, syntax.LongLiteral, syntax.DecimalLiteral, syntax.DoubleLiteral)
# Digits of whole numbers; longer ones are refused before they are computed.
_DIGITS_MAX = 40


@v_args(inline=True)
class LiteralRules(Transformer[Token, object]):
    def null_literal(self, token: Token) -> Expression:
        return syntax.NullLiteral(at=location(token))

    def true_literal(self, token: Token) -> Expression:
        return syntax.BooleanLiteral(True, at=location(token))

    def false_literal(self, token: Token) -> Expression:
        return syntax.BooleanLiteral(False, at=location(token))

    def integer_literal(self, token: Token) -> Expression:
        if len(token) > _DIGITS_MAX:
            raise ParseError(f"Invalid numeric literal: {token[:_DIGITS_MAX]}...", *location(token))
        return whole_number(int(token), location(token))

    def decimal_literal(self, token: Token) -> Expression:
        return syntax.DecimalLiteral(str(token), at=location(token))

    def double_literal(self, token: Token) -> Expression:
        return syntax.DoubleLiteral(str(token), at=location(token))

    def string_literal(self, token: Token) -> Expression:
        return syntax.StringLiteral(unquoted(token), at=location(token))

    def interval_unit(self, token: Token) -> Expression:
        return syntax.IntervalUnit(UNITS[token.upper()], at=location(token))


@v_args(inline=True)
class OperatorRules(Transformer[Token, object]):
    def either(self, left: Expression, right: Expression) -> Expression:
        return syntax.Logical("OR", _chain(syntax.Logical, "OR", left, right), at=left.at)

    def both(self, left: Expression, right: Expression) -> Expression:
        return syntax.Logical("AND", _chain(syntax.Logical, "AND", left, right), at=left.at)

    def negated(self, operand: Expression) -> Expression:
        return syntax.Not(operand, at=operand.at)

    def comparison(self, left: Expression, operator: Token, right: Expression) -> Expression:
        return syntax.Comparison("<>" if operator == "!=" else str(operator), left, right, at=left.at)

    def equality(self, left: Expression, right: Expression) -> Expression:
        return syntax.Comparison("=", left, right, at=left.at)

    def less(self, left: Expression, right: Expression) -> Expression:
        return syntax.Comparison("<", left, right, at=left.at)

    def greater(self, left: Expression, right: Expression) -> Expression:
        return syntax.Comparison(">", left, right, at=left.at)

    def is_distinct(self, left: Expression, right: Expression) -> Expression:
        return syntax.Comparison("IS DISTINCT FROM", left, right, at=left.at)

    def is_not_distinct(self, left: Expression, right: Expression) -> Expression:
        return syntax.Comparison("IS NOT DISTINCT FROM", left, right, at=left.at)

    def is_null(self, operand: Expression, _null: Token) -> Expression:
        return syntax.IsNull(operand, at=operand.at)

    def is_not_null(self, operand: Expression, _null: Token) -> Expression:
        return syntax.IsNotNull(operand, at=operand.at)

    def between(self, operand: Expression, low: Expression, high: Expression) -> Expression:
        return syntax.Between(operand, low, high, at=operand.at)

    def not_between(self, operand: Expression, low: Expression, high: Expression) -> Expression:
        return syntax.Not(syntax.Between(operand, low, high, at=operand.at), at=operand.at)

    def in_list(self, operand: Expression, *items: Expression) -> Expression:
        return syntax.In(operand, items, at=operand.at)

    def not_in_list(self, operand: Expression, *items: Expression) -> Expression:
        return syntax.Not(syntax.In(operand, items, at=operand.at), at=operand.at)

    def like(self, operand: Expression, pattern: Expression, escape: str | None) -> Expression:
        return _like(operand, pattern, escape)

    def not_like(self, operand: Expression, pattern: Expression, escape: str | None) -> Expression:
        return syntax.Not(_like(operand, pattern, escape), at=operand.at)

    def concatenated(self, left: Expression, right: Expression) -> Expression:
        first = left.arguments if isinstance(left, syntax.FunctionCall) and left.name == "CONCAT" else (left,)
        return syntax.FunctionCall("CONCAT", (*first, right), at=left.at)

    def plus(self, left: Expression, right: Expression) -> Expression:
        return _arithmetic("+", left, right)

    def minus(self, left: Expression, right: Expression) -> Expression:
        return _arithmetic("-", left, right)

    def times(self, left: Expression, right: Expression) -> Expression:
        return _arithmetic("*", left, right)

    def divided(self, left: Expression, right: Expression) -> Expression:
        return _arithmetic("/", left, right)

    def remainder(self, left: Expression, right: Expression) -> Expression:
        return _arithmetic("%", left, right)

    def negative(self, operand: Expression) -> Expression:
        """A number with a sign is a number."""
        if isinstance(operand, _NUMBERS):
            return negated_number(operand, operand.at)
        return syntax.Sign("-", operand, at=operand.at)

    def positive(self, operand: Expression) -> Expression:
        return operand if isinstance(operand, _NUMBERS) else syntax.Sign("+", operand, at=operand.at)


@v_args(inline=True)
class PrimaryRules(Transformer[Token, object]):
    def column(self, name: Name) -> Expression:
        return syntax.Column(name.text, at=name.at)

    def qualified_column(self, source: Name, name: Name) -> Expression:
        return syntax.Column(name.text, source.text, at=source.at)

    def subscript(self, base: Expression, index: Expression) -> Expression:
        return syntax.Subscript(base, index, at=base.at)

    def dereference(self, base: Expression, field: Name) -> Expression:
        return syntax.Dereference(base, field.text, at=base.at)

    def function_call(self, name: Name, *arguments: Expression) -> Expression:
        return syntax.FunctionCall(name.text.upper(), arguments, at=name.at)

    def lambda_of_one(self, parameter: Name, body: Expression) -> Expression:
        return syntax.LambdaFunction((parameter.text,), body, at=parameter.at)

    def lambda_of_many(self, *parts: Name | Expression) -> Expression:
        parameters = [part for part in parts if isinstance(part, Name)]
        body = parts[-1]
        assert not isinstance(body, Name)
        names = tuple(each.text for each in parameters)
        if len(set(names)) < len(names):
            raise ParseError("Reusing lambda arguments in nested lambda is not allowed", *parameters[0].at)
        return syntax.LambdaFunction(names, body, at=parameters[0].at)

    def when(self, condition: Expression, result: Expression) -> syntax.When:
        return syntax.When(condition, result, at=condition.at)

    def searched_case(self, case: Token, *parts: syntax.When | Expression | None) -> Expression:
        whens, default = _branches(parts)
        return syntax.SearchedCase(whens, default, at=location(case))

    def simple_case(self, case: Token, operand: Expression, *parts: syntax.When | Expression | None) -> Expression:
        whens, default = _branches(parts)
        return syntax.SimpleCase(operand, whens, default, at=location(case))

    def cast(self, cast: Token, operand: Expression, type_name: TypeName) -> Expression:
        return syntax.Cast(operand, type_name, at=location(cast))

    def array(self, array: Token, *items: Expression | None) -> Expression:
        return syntax.CreateArray(tuple(each for each in items if each is not None), at=location(array))

    def map(self, opening: Token, *entries: tuple[Expression, Expression] | None) -> Expression:
        return syntax.CreateMap(tuple(each for each in entries if each is not None), at=location(opening))

    def struct(self, opening: Token, *fields: tuple[Name, Expression] | None) -> Expression:
        named = tuple((each[0].text, each[1]) for each in fields if each is not None)
        return syntax.CreateStruct(named, at=location(opening))

    def pair(self, first: object, second: object) -> tuple[object, object]:
        return first, second


def _arithmetic(operator: str, left: Expression, right: Expression) -> Expression:
    return syntax.Arithmetic(operator, _chain(syntax.Arithmetic, operator, left, right), at=left.at)


def _chain(
    kind: type[syntax.Arithmetic | syntax.Logical], operator: str, left: Expression, right: Expression
) -> tuple[Expression, ...]:
    """A AND B, then AND C, are three operands: a long chain is no deep tree."""
    if isinstance(left, kind) and left.operator == operator:
        return (*left.operands, right)
    return (left, right)


def _like(operand: Expression, pattern: Expression, escape: str | None) -> syntax.Like:
    if escape is not None and len(escape) != 1:
        line, column = operand.at or (1, 1)
        raise ParseError(f"Escape character must be a single character, but was '{escape[:40]}'", line, column)
    return syntax.Like(operand, pattern, escape, at=operand.at)


def _branches(
    parts: tuple[syntax.When | Expression | None, ...],
) -> tuple[tuple[syntax.When, ...], Expression | None]:
    default = parts[-1]
    assert not isinstance(default, syntax.When)
    return tuple(part for part in parts if isinstance(part, syntax.When)), default
