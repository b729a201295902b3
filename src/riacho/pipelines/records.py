"""Records as they pass through a pipeline: a DataFrame with these columns, one row a record.

    topic      string
    partition  int, null where the sink's partitioner chooses
    offset     bigint, null for records that no topic gave
    timestamp  timestamp, null where the broker stamps
    key        any type; null for no key
    value      any type; null for a tombstone
    headers    array<struct<key string, value binary>>, never null (null arrays are slow on the way to Python)
    error      null, or what went wrong with this row: see `fail_where`
    raw_key, raw_value   binary: what a dead letter carries when the record came from a topic, else null

What reaches a sink has `raw_topic` too: the topic that a record was read from, whatever transforms make of `topic`.
With partition and offset it says which record it is; several topics may be routed to one.

Steps (converters, transforms) take such a frame and give one back with every row in its place: a row that cannot be
treated gets an `error` and a null key or value, and passes on untouched from there. Nothing else may fail a row: with
one bad record the others must go through, so expressions are the kind that give null (`try_cast`, `try_element_at`),
with an error distinct from a true null.

What Connect calls a schema's name and version is metadata of the `key` and `value` columns (`schema_of`, `named`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    DataType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

TOPIC = "topic"
PARTITION = "partition"
OFFSET = "offset"
TIMESTAMP = "timestamp"
KEY = "key"
VALUE = "value"
HEADERS = "headers"
ERROR = "error"
RAW_KEY = "raw_key"
RAW_VALUE = "raw_value"
RAW_TOPIC = "raw_topic"
COLUMNS = (TOPIC, PARTITION, OFFSET, TIMESTAMP, KEY, VALUE, HEADERS, ERROR, RAW_KEY, RAW_VALUE)

HEADERS_TYPE = ArrayType(StructType([StructField("key", StringType()), StructField("value", BinaryType())]))
ERROR_TYPE = StructType(
    [
        StructField("stage", StringType()),
        StructField("class_name", StringType()),
        StructField("exception", StringType()),
        StructField("message", StringType()),
    ]
)
# What a column is when a source does not have it. Key and value have no type of their own.
_TYPES: dict[str, DataType] = {
    TOPIC: StringType(),
    PARTITION: IntegerType(),
    OFFSET: LongType(),
    TIMESTAMP: TimestampType(),
    KEY: BinaryType(),
    VALUE: BinaryType(),
    HEADERS: HEADERS_TYPE,
    ERROR: ERROR_TYPE,
    RAW_KEY: BinaryType(),
    RAW_VALUE: BinaryType(),
}
# Metadata of the key and value columns.
SCHEMA_NAME = "connect.name"
SCHEMA_VERSION = "connect.version"

# Stages of a record's way, as the `__connect.errors.stage` header names them.
STAGE_TRANSFORMATION = "TRANSFORMATION"
STAGE_KEY_CONVERTER = "KEY_CONVERTER"
STAGE_VALUE_CONVERTER = "VALUE_CONVERTER"
STAGE_TASK_PUT = "TASK_PUT"

DATA_EXCEPTION = "org.apache.kafka.connect.errors.DataException"


def as_records(frame: DataFrame) -> DataFrame:
    """All the columns, in their order: those that `frame` lacks are null, and headers are never null."""
    present = {field.name: field for field in frame.schema.fields}
    columns = [
        F.col(name) if name in present else F.lit(None).cast(_TYPES[name]).alias(name)
        for name in COLUMNS
        if name != HEADERS
    ]
    empty = F.array().cast(HEADERS_TYPE)
    headers = F.coalesce(F.col(HEADERS).cast(HEADERS_TYPE), empty) if HEADERS in present else empty
    columns.insert(COLUMNS.index(HEADERS), headers.alias(HEADERS))
    return frame.select(*columns)


def came_from(batch: DataFrame) -> Column:
    """The topic that a record was read from."""
    return F.col(RAW_TOPIC if RAW_TOPIC in batch.columns else TOPIC)


def fail_where(
    frame: DataFrame,
    condition: Column,
    *,
    stage: str,
    class_name: str,
    message: Column | str,
    exception: str = DATA_EXCEPTION,
) -> DataFrame:
    """Rows where `condition` is true get this error, unless an earlier step has found one already.

    `condition` may be null, which counts as false. The caller sees to it that what could not be made is null there.
    """
    text = F.lit(message) if isinstance(message, str) else message
    found = F.struct(
        F.lit(stage).alias("stage"),
        F.lit(class_name).alias("class_name"),
        F.lit(exception).alias("exception"),
        text.cast("string").alias("message"),
    ).cast(ERROR_TYPE)
    is_new = F.col(ERROR).isNull() & F.coalesce(condition, F.lit(False))
    return frame.withColumn(ERROR, F.when(is_new, found).otherwise(F.col(ERROR)))


def is_good() -> Column:
    return F.col(ERROR).isNull()


def schema_of(frame: DataFrame, column: str) -> tuple[DataType, dict[str, Any]]:
    """The type of the key or value, and the metadata that goes with it."""
    field = frame.schema[column]
    return field.dataType, dict(field.metadata or {})


def with_schema(frame: DataFrame, column: str, value: Column, metadata: Mapping[str, Any]) -> DataFrame:
    """`frame` with `column` replaced by `value`, carrying `metadata` (Spark drops it with most expressions)."""
    return frame.withColumn(column, value.alias(column, metadata=dict(metadata)))
