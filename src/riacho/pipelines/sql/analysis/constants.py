"""Constant expressions to values, without Spark: literals, arithmetic, arrays, maps, structs and casts of them.

Values have `row_json.py`'s form. What needs more (functions) goes to `Settings.evaluate` where the caller has one.
"""

from __future__ import annotations

import decimal
from collections.abc import Callable
from typing import Any

from riacho.pipelines.sql.analysis.constant_casts import converted, number_of
from riacho.pipelines.sql.analysis.names import TypesScope
from riacho.pipelines.sql.analysis.settings import Evaluate
from riacho.pipelines.sql.analysis.typing_of import Compiler
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions.coercion import common_type
from riacho.pipelines.sql.expressions.decimals import decimal_type
from riacho.pipelines.sql.expressions.wording import wording
from riacho.pipelines.sql.syntax import expressions as syntax
from riacho.pipelines.sql.syntax.expressions import Expression, TypeName
from riacho.pipelines.sql.types import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    INTEGER,
    STRING,
    Array,
    Field,
    Map,
    SqlType,
    Struct,
)

Constant = tuple[Any, SqlType | None]
ResolveType = Callable[[TypeName], SqlType]


class Constants:
    def __init__(self, resolve_type: ResolveType, compiler: Compiler, evaluate: Evaluate | None) -> None:
        self._resolve_type = resolve_type
        self._compiler = compiler
        self._evaluate = evaluate

    def value(self, expression: Expression) -> Constant:
        """The value and its type, None for NULL. KsqlError for what is no constant."""
        match expression:
            case syntax.NullLiteral():
                return None, None
            case syntax.BooleanLiteral(value):
                return value, BOOLEAN
            case syntax.IntegerLiteral(value):
                return value, INTEGER
            case syntax.LongLiteral(value):
                return value, BIGINT
            case syntax.DoubleLiteral():
                return expression.value, DOUBLE
            case syntax.DecimalLiteral(text):
                return text, decimal_type(decimal.Decimal(text))
            case syntax.StringLiteral(value):
                return value, STRING
            case syntax.Sign(operator, operand):
                return self._signed(operator, operand)
            case syntax.Cast(operand, name):
                value, kind = self.value(operand)
                target = self._resolve_type(name)
                return converted(value, kind, target, is_cast=True), target
            case syntax.CreateArray(items):
                return self._array(items)
            case syntax.CreateMap(entries):
                return self._map(entries)
            case syntax.CreateStruct(fields):
                return self._struct(fields)
            case syntax.Column(name):
                raise KsqlError(f"Columns cannot be referred to here: {name}")
            case _:
                return self._evaluated(expression)

    def _signed(self, operator: str, operand: Expression) -> Constant:
        value, kind = self.value(operand)
        if value is None or operator == "+":
            return value, kind
        if isinstance(value, str) and kind != STRING:
            return str(-number_of(value)), kind
        if isinstance(value, int | float) and not isinstance(value, bool):
            return -value, kind
        raise KsqlError(f"Unsupported sign of a {kind}: {operator}{wording(operand)}")

    def _list(self, items: tuple[Expression, ...]) -> tuple[list[Any], SqlType | None]:
        found = [self.value(each) for each in items]
        kind = common_type([each for _, each in found])
        if kind is None:
            return [None for _ in found], None
        return [converted(value, own, kind) for value, own in found], kind

    def _array(self, items: tuple[Expression, ...]) -> Constant:
        values, kind = self._list(items)
        if kind is None:
            if items:
                raise KsqlError("Cannot construct an array with all NULL elements")
            raise KsqlError(
                "Array constructor cannot be empty. Please supply at least one element (see "
                "https://github.com/confluentinc/ksql/issues/4239)."
            )
        return values, Array(kind)

    def _map(self, entries: tuple[tuple[Expression, Expression], ...]) -> Constant:
        if not entries:
            raise KsqlError(
                "Map constructor cannot be empty. Please supply at least one key value pair (see "
                "https://github.com/confluentinc/ksql/issues/4239)."
            )
        keys, key_kind = self._list(tuple(key for key, _ in entries))
        values, value_kind = self._list(tuple(value for _, value in entries))
        if key_kind is None or value_kind is None:
            raise KsqlError("Cannot construct a map with all NULL values")
        kind = Map(key_kind, value_kind)
        if key_kind == STRING:
            return dict(zip(keys, values, strict=True)), kind
        return [{"key": key, "value": value} for key, value in zip(keys, values, strict=True)], kind

    def _struct(self, fields: tuple[tuple[str, Expression], ...]) -> Constant:
        found = [(name, *self.value(each)) for name, each in fields]
        for name, _, kind in found:
            if kind is None:
                raise KsqlError(f"Can't determine the type of the field `{name}`: cast it to the type it should have.")
        kinds = tuple(Field(name, kind) for name, _, kind in found if kind is not None)
        return {name: value for name, value, _ in found}, Struct(kinds)

    def _evaluated(self, expression: Expression) -> Constant:
        kind = self._compiler.type_of(expression, {})
        if self._evaluate is None or kind is None:
            raise KsqlError(
                f"Only literals can be inserted here, with CAST, ARRAY, MAP and STRUCT of them: {wording(expression)}"
            )
        return self._evaluate(self._compiler.compile(expression, TypesScope({})).text, kind), kind
