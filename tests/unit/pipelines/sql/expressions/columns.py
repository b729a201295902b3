"""Columns of every type, for expressions of tests."""

from __future__ import annotations

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions.compiled import Compiled
from riacho.pipelines.sql.expressions.compiler import compile_expression
from riacho.pipelines.sql.expressions.scope import Resolved
from riacho.pipelines.sql.parsing.parser import parse_expression
from riacho.pipelines.sql.syntax.expressions import Column
from riacho.pipelines.sql.types import (
    BIGINT,
    BOOLEAN,
    BYTES,
    DATE,
    DOUBLE,
    INTEGER,
    STRING,
    TIME,
    TIMESTAMP,
    Array,
    Decimal,
    Field,
    Map,
    SqlType,
    Struct,
)

TYPES: dict[str, SqlType] = {
    "I": INTEGER,
    "B": BIGINT,
    "D": DOUBLE,
    "S": STRING,
    "T": BOOLEAN,
    "X": BYTES,
    "DEC": Decimal(4, 2),
    "TS": TIMESTAMP,
    "DT": DATE,
    "TM": TIME,
    "A": Array(INTEGER),
    "M": Map(STRING, INTEGER),
    "R": Struct((Field("F", INTEGER),)),
}


class Columns:
    def resolve(self, column: Column) -> Resolved:
        if column.name not in TYPES:
            raise KsqlError(f"Column '{column.name}' cannot be resolved.")
        return Resolved(f"`{column.name}`", TYPES[column.name])


def compiled(text: str) -> Compiled:
    return compile_expression(parse_expression(text), Columns())
