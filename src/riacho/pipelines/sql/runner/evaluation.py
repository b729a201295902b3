"""Expressions over rows that came with the request: a small batch job, or none where Spark folds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.pipelines.sql.row_json import sql_string
from riacho.pipelines.sql.runner.protocol import Evaluate
from riacho.pipelines.sql.types import quoted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROWS_MAX = 10_000


def evaluated(spark: SparkSession, asked: Evaluate) -> tuple[str, ...]:
    """JSON objects of the columns, in the order of the rows; those for which `where` is not true are left out."""
    if not asked.rows:
        return ()
    if len(asked.rows) > ROWS_MAX:
        raise ValueError(f"{len(asked.rows)} rows are more than the {ROWS_MAX} that an expression is evaluated for.")
    literals = ", ".join(f"({number}, {sql_string(row)})" for number, row in enumerate(asked.rows))
    rows = f"SELECT col1 AS seq, from_json(col2, {sql_string(asked.schema)}) AS row FROM VALUES {literals}"
    where = f" WHERE {asked.where}" if asked.where else ""
    fields = ", ".join(f"{sql_string(name)}, {expression}" for name, expression in asked.columns)
    options = "map('ignoreNullFields', 'false')"
    text = f"SELECT seq, to_json(named_struct({fields}), {options}) AS {quoted('answer')} FROM ({rows}){where}"
    return tuple(row["answer"] for row in sorted(spark.sql(text).collect(), key=lambda row: row["seq"]))
