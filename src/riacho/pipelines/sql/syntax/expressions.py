"""Expressions as they were written: frozen values, equal where they mean the same.

`at` says where an expression stood; it counts for nothing in comparisons. Names are as analysis sees them: upper case
unless they were quoted.
"""

# Long because: a class an expression, few lines each, and a catalogue of them is read by name.
from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from riacho.pipelines.sql.types import SqlType


class Location(NamedTuple):
    line: int
    column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Node:
    at: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class NullLiteral(_Node):
    pass


@dataclass(frozen=True, slots=True)
class BooleanLiteral(_Node):
    value: bool


@dataclass(frozen=True, slots=True)
class IntegerLiteral(_Node):
    """Fits 32 bits."""

    value: int


@dataclass(frozen=True, slots=True)
class LongLiteral(_Node):
    value: int


@dataclass(frozen=True, slots=True)
class DoubleLiteral(_Node):
    """Written with an exponent: 1.5E3. `text` as it was written."""

    text: str

    @property
    def value(self) -> float:
        return float(self.text)


@dataclass(frozen=True, slots=True)
class DecimalLiteral(_Node):
    """Written with a point and no exponent: 10.50 is DECIMAL(4, 2)."""

    text: str


@dataclass(frozen=True, slots=True)
class StringLiteral(_Node):
    value: str


@dataclass(frozen=True, slots=True)
class IntervalUnit(_Node):
    """SECONDS and its like, as an argument of a function such as TIMESTAMPADD."""

    unit: str


@dataclass(frozen=True, slots=True)
class Column(_Node):
    """`source` is the alias or name that qualified it, None where nothing did."""

    name: str
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Arithmetic(_Node):
    """`operator` is one of + - * / %. From the left: A - B - C has three operands, of which the first is no difference
    itself."""

    operator: str
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Sign(_Node):
    """`operator` is + or -."""

    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Comparison(_Node):
    """`operator` is one of = <> < <= > >= `IS DISTINCT FROM` `IS NOT DISTINCT FROM` (!= is read as <>)."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Logical(_Node):
    """`operator` is AND or OR. From the left, as `Arithmetic`."""

    operator: str
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Not(_Node):
    operand: Expression


@dataclass(frozen=True, slots=True)
class IsNull(_Node):
    operand: Expression


@dataclass(frozen=True, slots=True)
class IsNotNull(_Node):
    operand: Expression


@dataclass(frozen=True, slots=True)
class Between(_Node):
    """NOT BETWEEN is Not(Between(...)), as NOT IN and NOT LIKE are."""

    operand: Expression
    low: Expression
    high: Expression


@dataclass(frozen=True, slots=True)
class In(_Node):
    operand: Expression
    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Like(_Node):
    operand: Expression
    pattern: Expression
    escape: str | None = None


@dataclass(frozen=True, slots=True)
class When(_Node):
    condition: Expression
    result: Expression


@dataclass(frozen=True, slots=True)
class SearchedCase(_Node):
    whens: tuple[When, ...]
    default: Expression | None


@dataclass(frozen=True, slots=True)
class SimpleCase(_Node):
    operand: Expression
    whens: tuple[When, ...]
    default: Expression | None


@dataclass(frozen=True, slots=True)
class Cast(_Node):
    operand: Expression
    type: TypeName


@dataclass(frozen=True, slots=True)
class FunctionCall(_Node):
    """`name` in upper case."""

    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class LambdaFunction(_Node):
    parameters: tuple[str, ...]
    body: Expression


@dataclass(frozen=True, slots=True)
class LambdaVariable(_Node):
    name: str


@dataclass(frozen=True, slots=True)
class Subscript(_Node):
    base: Expression
    index: Expression


@dataclass(frozen=True, slots=True)
class Dereference(_Node):
    """base->field"""

    base: Expression
    field: str


@dataclass(frozen=True, slots=True)
class StructAll(_Node):
    """base->* : stands in a select list only."""

    base: Expression


@dataclass(frozen=True, slots=True)
class CreateArray(_Node):
    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class CreateMap(_Node):
    entries: tuple[tuple[Expression, Expression], ...]


@dataclass(frozen=True, slots=True)
class CreateStruct(_Node):
    fields: tuple[tuple[str, Expression], ...]


Expression: TypeAlias = (
    NullLiteral
    | BooleanLiteral
    | IntegerLiteral
    | LongLiteral
    | DoubleLiteral
    | DecimalLiteral
    | StringLiteral
    | IntervalUnit
    | Column
    | Arithmetic
    | Sign
    | Comparison
    | Logical
    | Not
    | IsNull
    | IsNotNull
    | Between
    | In
    | Like
    | SearchedCase
    | SimpleCase
    | Cast
    | FunctionCall
    | LambdaFunction
    | LambdaVariable
    | Subscript
    | Dereference
    | StructAll
    | CreateArray
    | CreateMap
    | CreateStruct
)


# Types as they were written: a name may be a custom type (CREATE TYPE), which only the catalogue knows.


@dataclass(frozen=True, slots=True)
class CustomType(_Node):
    name: str


@dataclass(frozen=True, slots=True)
class ArrayName(_Node):
    item: TypeName


@dataclass(frozen=True, slots=True)
class MapName(_Node):
    key: TypeName
    value: TypeName


@dataclass(frozen=True, slots=True)
class StructName(_Node):
    fields: tuple[tuple[str, TypeName], ...]


@dataclass(frozen=True, slots=True)
class KnownType(_Node):
    """A primitive type or a decimal."""

    type: SqlType


TypeName: TypeAlias = CustomType | ArrayName | MapName | StructName | KnownType
