"""Work on Arrow columns in Spark's workers, as column expressions: whole batches of rows, in their order."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from pyspark.sql import Column
from pyspark.sql.functions import arrow_udf  # type: ignore[attr-defined]
from pyspark.sql.types import DataType, StringType, StructField, StructType

from riacho.pipelines.late_pandas import put_off_pandas


def result_type(value: DataType) -> StructType:
    """What a conversion in a worker answers: see `framed.result_of`."""
    return StructType([StructField("value", value), StructField("error", StringType())])


def one_column(work: Any, column: Column, value: DataType) -> Column:
    """`work` on one column as Arrow in the workers."""

    def run(values: pa.Array) -> pa.Array:
        put_off_pandas()
        return work(values)

    found: Column = arrow_udf(run, result_type(value))(column)
    return found


def two_columns(work: Any, column: Column, other: Column, value: DataType) -> Column:
    def run(values: pa.Array, others: pa.Array) -> pa.Array:
        put_off_pandas()
        return work(values, others)

    found: Column = arrow_udf(run, result_type(value))(column, other)
    return found
