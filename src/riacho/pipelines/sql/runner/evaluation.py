"""Expressions over rows that came with the request: a small batch job, or none where Spark folds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.pipelines.sql.row_json import sql_string
from riacho.pipelines.sql.runner.protocol import Evaluate
from riacho.pipelines.sql.runner.row_lines import line_size

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROWS_MAX = 10_000


def evaluated(spark: SparkSession, asked: Evaluate) -> tuple[str | None, ...]:
    """An answer for each row, in their order; None for those for which `where` is not true. ConnectError where they are
    too large."""
    if not asked.rows:
        return ()
    if len(asked.rows) > ROWS_MAX:
        raise ValueError(f"{len(asked.rows)} rows are more than the {ROWS_MAX} that an expression is evaluated for.")
    literals = ", ".join(f"({number}, {sql_string(row)})" for number, row in enumerate(asked.rows))
    texts = f"SELECT col1 AS seq, col2 AS text FROM VALUES {literals}"
    rows = f"SELECT seq, {asked.row} AS row FROM ({texts})"
    answer = f"CASE WHEN {asked.where} THEN {asked.answer} END" if asked.where else asked.answer
    found = spark.sql(f"SELECT seq, {answer} AS answer FROM ({rows})").collect()
    answers = tuple(row["answer"] for row in sorted(found, key=lambda row: row["seq"]))
    line_size(answers)
    return answers
