"""Which aggregate a call means: its columns, its literal settings and the type of its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from riacho.pipelines.sql.analysis.typing_of import Compiler
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions.wording import wording
from riacho.pipelines.sql.functions.registry import Registry
from riacho.pipelines.sql.syntax.expressions import (
    BooleanLiteral,
    Expression,
    FunctionCall,
    IntegerLiteral,
    LongLiteral,
    StringLiteral,
)
from riacho.pipelines.sql.types import BIGINT, DOUBLE, STRING, Array, Field, Map, SqlType, Struct
from riacho.pipelines.tasks.aggregates import opening


@dataclass(frozen=True, slots=True)
class BoundAggregate:
    function: str
    columns: tuple[tuple[Expression, SqlType], ...]
    settings: tuple[object, ...]
    result_type: SqlType


def is_aggregate(name: str, functions: Registry) -> bool:
    return name in opening.AGGREGATES


def can_undo(name: str, functions: Registry) -> bool:
    return opening.can_undo(name)


def bind_aggregate(call: FunctionCall, types: Mapping[str, SqlType], compiler: Compiler) -> BoundAggregate:
    columns, settings = _split(call)
    kinds = [compiler.known_type_of(each, types) for each in columns]
    wanted = [DOUBLE if call.name in _DOUBLES else kind for kind in kinds]
    return BoundAggregate(call.name, tuple(zip(columns, wanted, strict=True)), settings, _result(call, kinds, settings))


_DOUBLES = frozenset({"AVG", "CORRELATION", "STDDEV_SAMP", "STDDEV_SAMPLE"})


def _split(call: FunctionCall) -> tuple[Sequence[Expression], tuple[object, ...]]:
    """Literals at the end are settings of those aggregates that have some."""
    match call.name:
        case "TOPK" | "TOPKDISTINCT":
            count = 1
        case "LATEST_BY_OFFSET" | "EARLIEST_BY_OFFSET":
            count = max(len(call.arguments) - 1, 0)
        case _:
            return call.arguments, ()
    columns = call.arguments[: len(call.arguments) - count]
    return columns, tuple(
        _literal(call, each, at) for at, each in enumerate(call.arguments[len(columns) :], len(columns))
    )


def _literal(call: FunctionCall, argument: Expression, at: int) -> object:
    if isinstance(argument, IntegerLiteral | LongLiteral | BooleanLiteral | StringLiteral):
        return argument.value
    raise KsqlError(
        f"Parameter {at + 1} passed to function {call.name} must be a literal constant, but was expression: "
        f"'{wording(argument)}'"
    )


def _result(call: FunctionCall, kinds: Sequence[SqlType], settings: tuple[object, ...]) -> SqlType:
    match call.name:
        case "COUNT" | "COUNT_DISTINCT":
            return BIGINT
        case "AVG" | "CORRELATION" | "STDDEV_SAMP" | "STDDEV_SAMPLE":
            return DOUBLE
        case "COLLECT_LIST" | "COLLECT_SET" | "TOPKDISTINCT":
            return Array(kinds[0])
        case "TOPK" if len(kinds) > 1:
            fields = [Field("sort_col", kinds[0]), *(Field(f"col{at}", kind) for at, kind in enumerate(kinds[1:]))]
            return Array(Struct(tuple(fields)))
        case "TOPK":
            return Array(kinds[0])
        case "HISTOGRAM":
            return Map(STRING, BIGINT)
        case "LATEST_BY_OFFSET" | "EARLIEST_BY_OFFSET" if any(type(each) is int for each in settings):
            return Array(kinds[0])
        case "SUM_LIST" if isinstance(kinds[0], Array):
            return kinds[0].item
        case _:
            return kinds[0]
