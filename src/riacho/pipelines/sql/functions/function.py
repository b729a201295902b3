"""What a function is: its names, its signatures, and for each the Spark SQL that computes it.

    UPPER = Function(
        "UPPER", "STRING", "Upper case.",
        (Signature((Parameter("input", STRING),), STRING, sql("upper({0})")),),
        examples=(Example("UPPER('ab')", "AB"),),
    )

A signature's types are patterns: SQL types, or with variables (`Any("T")`, `ArrayOf(Any("T"))`) that are bound by the
arguments and may stand in the result. `result` may also be a function of the arguments' types. The text is made by a
function of `Argument`s; what a function cannot do with Spark's own functions, a Python function does that is registered
in the session under a name (`python_functions.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from riacho.pipelines.sql.types import SqlType


@dataclass(frozen=True, slots=True)
class Any:
    """A type variable: whatever the first argument with it is, the others must be, after ksqlDB's coercions."""

    name: str = "T"


@dataclass(frozen=True, slots=True)
class AnyDecimal:
    """A decimal of any precision and scale."""


@dataclass(frozen=True, slots=True)
class AnyStruct:
    pass


@dataclass(frozen=True, slots=True)
class ArrayOf:
    item: Pattern


@dataclass(frozen=True, slots=True)
class MapOf:
    key: Pattern
    value: Pattern


@dataclass(frozen=True, slots=True)
class LambdaOf:
    inputs: tuple[Pattern, ...]
    result: Pattern


@dataclass(frozen=True, slots=True)
class Unit:
    """An interval unit: SECONDS and its like, written bare."""


Pattern: TypeAlias = SqlType | Any | AnyDecimal | AnyStruct | ArrayOf | MapOf | LambdaOf | Unit


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument that was compiled: `text` is Spark SQL. `type` is None for a literal NULL whose type nothing says.
    `literal` is a literal's Python value, or None. For a lambda `text` is `(x, y) -> body`, or `x -> body`.
    For a Unit `text` is its name."""

    text: str
    type: SqlType | None
    literal: object = None


MakeSql: TypeAlias = Callable[[Sequence[Argument]], str]
ResultType: TypeAlias = Pattern | Callable[[Sequence[SqlType | None]], SqlType]


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    type: Pattern
    about: str = ""


@dataclass(frozen=True, slots=True)
class Signature:
    """`is_variadic`: the last parameter may come any number of times, none included."""

    parameters: tuple[Parameter, ...]
    result: ResultType
    sql: MakeSql
    is_variadic: bool = False
    about: str = ""


@dataclass(frozen=True, slots=True)
class Example:
    """A call and what it gives, as a JSON value of `row_json.py`'s form; every one of them is a test."""

    call: str
    result: object


@dataclass(frozen=True, slots=True)
class Function:
    """`kind` is SCALAR or TABLE; a table function's SQL gives an array, one element a row."""

    name: str
    category: str
    about: str
    signatures: tuple[Signature, ...]
    examples: tuple[Example, ...] = ()
    aliases: tuple[str, ...] = ()
    kind: str = "SCALAR"
    author: str = "Riacho"


_PLACE = re.compile(r"\{(\*|\d+)\}")


def sql(template: str) -> MakeSql:
    """`{0}` is the text of the first argument, `{*}` all of them with commas between."""

    def make(arguments: Sequence[Argument]) -> str:
        # All places at once: an argument's own text may have braces in it.
        return _PLACE.sub(
            lambda place: (
                ", ".join(argument.text for argument in arguments) if place[1] == "*" else arguments[int(place[1])].text
            ),
            template,
        )

    return make
