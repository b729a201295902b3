"""Which aggregate a call means: its columns, its literal settings and the type of its result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from riacho.pipelines.sql.analysis.typing_of import Compiler
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions.wording import wording
from riacho.pipelines.sql.functions.aggregate_signatures import AggregateFunction
from riacho.pipelines.sql.syntax.expressions import (
    BooleanLiteral,
    Column,
    Expression,
    FunctionCall,
    IntegerLiteral,
    LongLiteral,
    Sign,
    StringLiteral,
)
from riacho.pipelines.sql.types import SqlType

Aggregates: TypeAlias = Mapping[str, AggregateFunction]
"""By their names in upper case: ksqlDB's and those of users."""


@dataclass(frozen=True, slots=True)
class BoundAggregate:
    function: str
    columns: tuple[tuple[Expression, SqlType], ...]
    settings: tuple[object, ...]
    result_type: SqlType


def bind_aggregate(
    call: FunctionCall, types: Mapping[str, SqlType], compiler: Compiler, aggregates: Aggregates
) -> BoundAggregate:
    # Of nothing, or of a star, is of the rows' times; COUNT does not look at its argument.
    arguments = call.arguments if call.arguments or call.name == "COUNT" else (Column("ROWTIME"),)
    kinds = [compiler.type_of(each, types) for each in arguments]
    literals = [_literal(each) for each in arguments]
    chosen = aggregates[call.name].choose(kinds, literals, [wording(each) for each in arguments])
    columns: list[tuple[Expression, SqlType]] = []
    for argument, kind in zip(arguments[: chosen.columns], kinds, strict=False):
        if kind is None:
            raise KsqlError(f"An argument of {call.name} has no type: {wording(argument)}")
        columns.append((argument, kind))
    return BoundAggregate(call.name, tuple(columns), chosen.settings, chosen.result_type)


def _literal(argument: Expression) -> object:
    match argument:
        case IntegerLiteral(number) | LongLiteral(number):
            return number
        case BooleanLiteral(flag):
            return flag
        case StringLiteral(text):
            return text
        case Sign("-", IntegerLiteral(number)):
            return -number
        case _:
            return None
