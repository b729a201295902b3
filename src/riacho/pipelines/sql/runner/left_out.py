"""Rows that Spark's own aggregation leaves out: written to the processing log as a task writes them.

A task drops rows itself, in Python. Here the rows never come to Python; a column that is null but for those that are
left out does, and gives the reason for each of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
from pyspark.sql import Column
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.util import PythonEvalType

from riacho.pipelines.late_pandas import put_off_pandas
from riacho.pipelines.sql.runner.record_columns import Logged
from riacho.pipelines.tasks.dropped import Reason, reason_text

_PART = "aggregate"


def told_left_out(logged: Logged) -> Callable[[Column], Column]:
    """A function of the column with the texts of rows that have no key."""

    def log_left_out(rows: pa.Array) -> pa.Array:
        put_off_pandas()
        if rows.null_count == len(rows):
            return rows
        problem = reason_text(Reason.NULL_KEY)
        log = logged.open(_PART)
        texts = rows.to_pylist()
        for text in texts:
            if text is not None:
                log.left_out(text, problem)
        log.flush()
        return pa.array([None if text is None else problem for text in texts], pa.string())

    made: Any = arrow_udf(log_left_out, "string", PythonEvalType.SQL_SCALAR_ARROW_UDF)
    # Spark must neither leave it out nor call it twice.
    return made.asNondeterministic()  # type: ignore[no-any-return]
