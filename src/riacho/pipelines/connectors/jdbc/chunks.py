"""Rows of tables on their way through a streaming query whose schema cannot change: whole chunks in one binary field.

A chunk is an Arrow stream. It rides on the first of as many rows as it holds, so that Spark counts records and not
chunks; the other rows are empty. `unpacked` gives the records back with the fields that their table had.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from riacho.pipelines.connectors.jdbc.types import (
    Column,
    arrow_schema,
    columns_from_text,
    columns_to_text,
    fitted,
    spark_struct,
)

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

TOPIC = "topic"
COLUMNS = "columns"
PAYLOAD = "payload"


def chunk_schema() -> StructType:
    from pyspark.sql.types import BinaryType, StringType, StructField, StructType

    return StructType(
        [StructField(TOPIC, StringType()), StructField(COLUMNS, StringType()), StructField(PAYLOAD, BinaryType())]
    )


def packed(topic: str, columns: Sequence[Column], rows: Sequence[Sequence[Any]], zone: ZoneInfo) -> pa.RecordBatch:
    import pyarrow as pa

    schema = arrow_schema(columns)
    arrays = [
        pa.array([fitted(row[index], column.type, zone) for row in rows], schema.field(index).type)
        for index, column in enumerate(columns)
    ]
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema) as writer:
        writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=schema))
    empty = [None] * (len(rows) - 1)
    return pa.RecordBatch.from_arrays(
        [
            pa.array([topic, *empty], pa.string()),
            pa.array([columns_to_text(columns), *empty], pa.string()),
            pa.array([sink.getvalue().to_pybytes(), *empty], pa.binary()),
        ],
        names=[TOPIC, COLUMNS, PAYLOAD],
    )


def unpacked(batch: DataFrame) -> DataFrame:
    """`topic` and a typed `value`. All rows of a micro-batch are of one table, and so have the same columns."""
    from pyspark.sql.types import StringType, StructField, StructType

    first = batch.where(f"{COLUMNS} IS NOT NULL").select(COLUMNS).first()
    columns = [] if first is None else columns_from_text(first[0])
    schema = StructType([StructField(TOPIC, StringType()), StructField("value", spark_struct(columns))])
    return batch.mapInArrow(_unpack, schema)  # type: ignore[arg-type, no-any-return, unused-ignore]


def _unpack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    for batch in batches:
        for topic, payload in zip(batch.column(TOPIC).to_pylist(), batch.column(PAYLOAD), strict=True):
            if topic is None:
                continue
            for chunk in pa.ipc.open_stream(payload.as_buffer()):
                value = pa.StructArray.from_arrays(chunk.columns, fields=list(chunk.schema))
                yield pa.RecordBatch.from_arrays([pa.array([topic] * len(value), pa.string()), value], [TOPIC, "value"])
