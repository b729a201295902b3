"""A record's value as text, for sinks that write lines."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, BinaryType, DataType, MapType, StructType, VariantType


def as_text(batch: DataFrame, column: str) -> Column:
    """Text as it is, bytes as UTF-8, what has fields as JSON, `null` for nothing."""
    return F.coalesce(_text(F.col(column), batch.schema[column].dataType), F.lit("null")).alias(column)


def _text(column: Column, kind: DataType) -> Column:
    if isinstance(kind, StructType | ArrayType | MapType | VariantType):
        # Null fields stay in sight, as they do on the way to a topic.
        return F.to_json(column, {"ignoreNullFields": "false"})
    if isinstance(kind, BinaryType):
        # Bytes that are no text become the sign for that, as in Java: `decode` would fail the batch for one of them.
        return F.make_valid_utf8(column.cast("string"))
    return column.cast("string")
