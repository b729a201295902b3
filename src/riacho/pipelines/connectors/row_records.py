"""Rows with columns of their own as records, and records as rows: for connectors to what Spark reads and writes."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from riacho.base.config import Value
from riacho.pipelines import records
from riacho.pipelines.plugin import ConnectError


def rows_as_records(rows: DataFrame, topic: Value) -> DataFrame:
    """Records as they are; of other rows the columns become fields of the value. `topic` overrides a column."""
    names = set(rows.columns)
    if not (records.VALUE in names and names <= set(records.COLUMNS)):
        rows = rows.select(F.struct(*(F.col(f"`{name}`") for name in rows.columns)).alias(records.VALUE))
    if topic:
        return rows.withColumn(records.TOPIC, F.lit(str(topic)))
    if records.TOPIC not in rows.columns:
        raise ConnectError("The setting topic is needed, as the rows have no column that says where they go.")
    return rows


def values_as_rows(batch: DataFrame, with_metadata: bool = False) -> DataFrame:
    """A column for each field of the value, or one called `value`; metadata gets columns with an underscore before."""
    kind = batch.schema[records.VALUE].dataType
    fields = [F.col(f"{records.VALUE}.`{name}`") for name in kind.names] if isinstance(kind, StructType) else []
    own = fields or [F.col(records.VALUE)]
    metadata = (records.TOPIC, records.PARTITION, records.OFFSET, records.TIMESTAMP) if with_metadata else ()
    return batch.select(*own, *(F.col(name).alias(f"_{name}") for name in metadata))
