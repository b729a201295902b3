"""Expressions to Spark SQL: one text for each, with the type that ksqlDB gives it.

What a text means depends on settings of the session: those of `runner/session.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions import arithmetic, cases, collections, comparison, predicates
from riacho.pipelines.sql.expressions.bounds import check_depth, check_text
from riacho.pipelines.sql.expressions.calls import call
from riacho.pipelines.sql.expressions.casting import cast
from riacho.pipelines.sql.expressions.compiled import Compiled
from riacho.pipelines.sql.expressions.failure import guarded
from riacho.pipelines.sql.expressions.like import like
from riacho.pipelines.sql.expressions.literals import literal
from riacho.pipelines.sql.expressions.scope import Scope
from riacho.pipelines.sql.expressions.wording import when_wording, wording
from riacho.pipelines.sql.functions.registry import REGISTRY, Registry
from riacho.pipelines.sql.syntax import expressions as syntax
from riacho.pipelines.sql.syntax.expressions import Expression, TypeName
from riacho.pipelines.sql.types import Array, Field, Map, SqlType, Struct

ResolveType = Callable[[TypeName], SqlType]


def known_type(name: TypeName) -> SqlType:
    """The type of a name, where nobody made types of their own."""
    match name:
        case syntax.KnownType(kind):
            return kind
        case syntax.ArrayName(item):
            return Array(known_type(item))
        case syntax.MapName(key, value):
            return Map(known_type(key), known_type(value))
        case syntax.StructName(fields):
            return Struct(tuple(Field(field, known_type(kind)) for field, kind in fields))
        case syntax.CustomType(custom):
            raise KsqlError(f"Cannot resolve unknown type: {custom}")


def compile_expression(
    expression: Expression,
    scope: Scope,
    *,
    functions: Registry = REGISTRY,
    resolve_type: ResolveType = known_type,
) -> Compiled:
    """KsqlError, in ksqlDB's words, for what cannot be computed."""
    compiled = guarded(_Compiler(scope, functions, resolve_type).compile(expression, {}, 0))
    check_text(compiled.text)
    return compiled


class _Compiler:
    def __init__(self, scope: Scope, functions: Registry, resolve_type: ResolveType) -> None:
        self._scope = scope
        self._functions = functions
        self._resolve_type = resolve_type
        self._lambdas = 0

    def compile(self, expression: Expression, variables: Mapping[str, Compiled], depth: int) -> Compiled:
        """`variables` are the parameters of the lambdas around the expression."""
        check_depth(depth)

        def inner(part: Expression) -> Compiled:
            return self.compile(part, variables, depth + 1)

        compiled = self._node(expression, inner, variables, depth)
        check_text(compiled.text)
        check_text(compiled.failure)
        return replace(compiled, source=wording(expression))

    def _node(
        self,
        expression: Expression,
        inner: Callable[[Expression], Compiled],
        variables: Mapping[str, Compiled],
        depth: int,
    ) -> Compiled:
        match expression:
            case syntax.Column(name, source):
                return variables[name] if source is None and name in variables else self._column(expression)
            case syntax.LambdaVariable(name):
                return variables[name] if name in variables else self._column(syntax.Column(name, at=expression.at))
            case syntax.Arithmetic(operator, operands):
                return arithmetic.chain(operator, [inner(operand) for operand in operands])
            case syntax.Sign(operator, operand):
                return arithmetic.negated(inner(operand)) if operator == "-" else inner(operand)
            case syntax.Comparison(operator, left, right):
                return comparison.compare(operator, inner(left), inner(right))
            case syntax.Logical(operator, operands):
                return predicates.logical(operator, [inner(operand) for operand in operands])
            case syntax.Not(operand):
                return predicates.negation(inner(operand))
            case syntax.IsNull(operand):
                return predicates.is_null(inner(operand))
            case syntax.IsNotNull(operand):
                return predicates.is_not_null(inner(operand))
            case syntax.Between(operand, low, high):
                return predicates.between(inner(operand), inner(low), inner(high))
            case syntax.In(operand, items):
                return predicates.contained(inner(operand), [inner(item) for item in items])
            case syntax.Like(operand, pattern, escape):
                return like(inner(operand), inner(pattern), escape)
            case syntax.SearchedCase() | syntax.SimpleCase():
                return self._case(expression, inner)
            case syntax.Cast(operand, kind):
                return cast(inner(operand), self._resolve_type(kind))
            case syntax.FunctionCall(name, arguments):
                return self._call(name, arguments, inner, variables, depth)
            case syntax.Subscript(base, index):
                return collections.subscript(inner(base), inner(index))
            case syntax.Dereference(base, field):
                return collections.dereference(inner(base), field)
            case syntax.CreateArray(items):
                return collections.array([inner(item) for item in items])
            case syntax.CreateMap(entries):
                return collections.mapping([(inner(key), inner(value)) for key, value in entries])
            case syntax.CreateStruct(fields):
                return collections.struct([(field, inner(value)) for field, value in fields])
            case syntax.IntervalUnit() | syntax.LambdaFunction() | syntax.StructAll():
                raise KsqlError(f"{wording(expression)} cannot stand here.")
            case _:
                return literal(expression)

    def _column(self, column: syntax.Column) -> Compiled:
        resolved = self._scope.resolve(column)
        return Compiled(resolved.text, resolved.type)

    def _case(
        self, expression: syntax.SearchedCase | syntax.SimpleCase, inner: Callable[[Expression], Compiled]
    ) -> Compiled:
        """The simple form compares its operand with each; the searched one has conditions."""
        operand = inner(expression.operand) if isinstance(expression, syntax.SimpleCase) else None
        branches: list[cases.Branch] = []
        for when in expression.whens:
            condition = inner(when.condition)
            if operand is not None:
                condition = comparison.compare("=", operand, condition)
            branches.append(cases.Branch(condition, inner(when.result), when_wording(when)))
        return cases.case(branches, None if expression.default is None else inner(expression.default))

    def _call(
        self,
        name: str,
        arguments: tuple[Expression, ...],
        inner: Callable[[Expression], Compiled],
        variables: Mapping[str, Compiled],
        depth: int,
    ) -> Compiled:
        function = self._functions.find(name)
        if function is None:
            raise KsqlError(f"Can't find any functions with the name '{name}'")

        def compile_lambda(expression: syntax.LambdaFunction, inputs: Sequence[SqlType]) -> tuple[str, Compiled]:
            return self._lambda(expression, inputs, variables, depth)

        return call(function, arguments, inner, compile_lambda)

    def _lambda(
        self,
        expression: syntax.LambdaFunction,
        inputs: Sequence[SqlType],
        variables: Mapping[str, Compiled],
        depth: int,
    ) -> tuple[str, Compiled]:
        """Parameters get names of their own in Spark: no column and no other lambda's parameter has them."""
        if len({*variables, *expression.parameters}) < len(variables) + len(expression.parameters):
            raise KsqlError("Reusing lambda arguments in nested lambda is not allowed")
        self._lambdas += 1
        names = [f"_l{self._lambdas}_{index}" for index in range(len(expression.parameters))]
        own = {
            parameter: Compiled(name, kind)
            for parameter, name, kind in zip(expression.parameters, names, inputs, strict=True)
        }
        return ", ".join(names), self.compile(expression.body, {**variables, **own}, depth + 1)
