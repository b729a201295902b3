"""Expressions evaluated by Spark, as plans evaluate them: text in, row JSON out."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions.compiled import Compiled
from riacho.pipelines.sql.expressions.compiler import compile_expression
from riacho.pipelines.sql.expressions.scope import Resolved
from riacho.pipelines.sql.functions.python_functions import called_python_functions, register_python_functions
from riacho.pipelines.sql.parsing.parser import parse_expression
from riacho.pipelines.sql.row_json import row_text
from riacho.pipelines.sql.runner.session import MEANING
from riacho.pipelines.sql.syntax.expressions import Column
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


def evaluate(session: SparkSession, texts: Sequence[str], scope: Nulls | None = None) -> list[object]:
    """Each expression's value, in row JSON's form."""
    columns = scope or Nulls({})
    values = [compiled(text, columns) for text in texts]
    called = called_python_functions(value.text for value in values)
    if called:
        register_python_functions(session, called)
    fields = [
        (Field(str(index), STRING if value.type is None else value.type), value.text)
        for index, value in enumerate(values)
    ]
    row = session.sql(f"SELECT {row_text(fields)} FROM {columns.frame}").collect()[0][0]
    found = json.loads(row)
    return [found[str(index)] for index in range(len(values))]
