"""Expressions evaluated by Spark, as plans evaluate them: text in, row JSON out."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions.compiled import Compiled
from riacho.pipelines.sql.expressions.compiler import compile_expression
from riacho.pipelines.sql.expressions.scope import Resolved
from riacho.pipelines.sql.functions.python_functions import called_python_functions, register_python_functions
from riacho.pipelines.sql.parsing.parser import parse_expression
from riacho.pipelines.sql.row_json import row_text
from riacho.pipelines.sql.runner.session import MEANING
from riacho.pipelines.sql.syntax.expressions import (
    Column,
    DecimalLiteral,
    DoubleLiteral,
    Expression,
    FunctionCall,
    IntegerLiteral,
    LongLiteral,
    StringLiteral,
)
from riacho.pipelines.sql.types import STRING, Field, SqlType, spark_type

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class Nulls:
    """Columns that are all null, and no constants to the optimizer's eyes before it has planned."""

    types: Mapping[str, SqlType]

    def resolve(self, column: Column) -> Resolved:
        kind = self.types.get(column.name)
        if kind is None:
            raise KsqlError(f"Column '{column.name}' cannot be resolved.")
        return Resolved(f"`{column.name}`", kind)

    @property
    def frame(self) -> str:
        columns = ", ".join(f"CAST(NULL AS {spark_type(kind)}) AS `{name}`" for name, kind in self.types.items())
        return f"(SELECT {columns or '1 AS one'} FROM VALUES (1))"


def ksql_session(spark: SparkSession) -> SparkSession:
    session = spark.newSession()
    for name, value in MEANING.items():
        session.conf.set(name, value)
    return session


def compiled(text: str, scope: Nulls) -> Compiled:
    return compile_expression(parse_expression(text), scope)


@dataclass
class Literals:
    """Columns that hold the literals of calls, so that nothing is known of them while a statement is planned."""

    values: list[Compiled]

    def resolve(self, column: Column) -> Resolved:
        value = self.values[int(column.name)]
        assert value.type is not None
        return Resolved(f"`{column.name}`", value.type)

    @property
    def frame(self) -> str:
        columns = ", ".join(f"{value.text} AS `{index}`" for index, value in enumerate(self.values))
        return f"(SELECT {columns or '1 AS one'} FROM VALUES (1))"

    def over_columns(self, text: str) -> Expression:
        """A call whose arguments are columns where they were literals."""
        expression = parse_expression(text)
        if not isinstance(expression, FunctionCall):
            return expression
        return replace(expression, arguments=tuple(self._column(each) for each in expression.arguments))

    def _column(self, argument: Expression) -> Expression:
        if not isinstance(argument, StringLiteral | IntegerLiteral | LongLiteral | DoubleLiteral | DecimalLiteral):
            return argument
        self.values.append(compile_expression(argument, Nulls({})))
        return Column(str(len(self.values) - 1))


def evaluate_over_columns(session: SparkSession, texts: Sequence[str]) -> list[object]:
    scope = Literals([])
    expressions = [scope.over_columns(text) for text in texts]
    return _evaluated(session, [compile_expression(each, scope) for each in expressions], scope.frame)


def evaluate(session: SparkSession, texts: Sequence[str], scope: Nulls | None = None) -> list[object]:
    """Each expression's value, in row JSON's form."""
    columns = scope or Nulls({})
    return _evaluated(session, [compiled(text, columns) for text in texts], columns.frame)


def _evaluated(session: SparkSession, values: Sequence[Compiled], frame: str) -> list[object]:
    called = called_python_functions(value.text for value in values)
    if called:
        register_python_functions(session, called)
    fields = [
        (Field(str(index), STRING if value.type is None else value.type), value.text)
        for index, value in enumerate(values)
    ]
    row = session.sql(f"SELECT {row_text(fields)} FROM {frame}").collect()[0][0]
    found = json.loads(row)
    return [found[str(index)] for index in range(len(values))]
