"""The frames between the steps of a plan, as Spark and Arrow name them; `plan/steps.py` says what columns mean."""

from __future__ import annotations

import pyarrow as pa
from pyspark.sql.types import (
    BinaryType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from riacho.pipelines.records import HEADERS_TYPE
from riacho.pipelines.source.row_schema import HEADERS_TYPE as ARROW_HEADERS
from riacho.pipelines.source.row_schema import TIMESTAMP_TYPE

DECODED = StructType(
    [
        StructField("k", StringType()),
        StructField("v", StringType()),
        StructField("ts", LongType()),
        StructField("part", IntegerType()),
        StructField("off", LongType()),
        StructField("headers", HEADERS_TYPE),
        StructField("ws", LongType()),
        StructField("we", LongType()),
        StructField("seq", LongType()),
        StructField("dropped", StringType()),
    ]
)
"""`dropped` says why a record is left out; null for the others."""

DECODED_ARROW = pa.schema(
    [
        pa.field("k", pa.string()),
        pa.field("v", pa.string()),
        pa.field("ts", pa.int64()),
        pa.field("part", pa.int32()),
        pa.field("off", pa.int64()),
        pa.field("headers", ARROW_HEADERS),
        pa.field("ws", pa.int64()),
        pa.field("we", pa.int64()),
        pa.field("seq", pa.int64()),
        pa.field("dropped", pa.string()),
    ]
)

CHANGES = StructType(
    [
        StructField("key", StringType()),
        StructField("ws", LongType()),
        StructField("we", LongType()),
        StructField("old", StringType()),
        StructField("new", StringType()),
        StructField("ts", LongType()),
        StructField("seq", LongType()),
        StructField("dropped", StringType()),
    ]
)

RECORDS = StructType(
    [
        StructField("topic", StringType()),
        StructField("key", BinaryType()),
        StructField("value", BinaryType()),
        StructField("timestamp", TimestampType()),
        StructField("headers", HEADERS_TYPE),
        StructField("dropped", StringType()),
    ]
)

RECORDS_ARROW = pa.schema(
    [
        pa.field("topic", pa.string()),
        pa.field("key", pa.binary()),
        pa.field("value", pa.binary()),
        pa.field("timestamp", TIMESTAMP_TYPE),
        pa.field("headers", ARROW_HEADERS),
        pa.field("dropped", pa.string()),
    ]
)
