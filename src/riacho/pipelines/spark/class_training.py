"""What a driver does while its classes are written down (`class_archive`): what pipelines do, with rows made up here.

A class that was not loaded by then is read and checked out of its jar at every later start. So each kind of work has
its query: batches that are cached, counted, decoded by Python and written; sums by window; sums in RocksDB, as SQL's
tables have them; a stream that a Python sink writes. There are no brokers: to the JVM one Python source is as another.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.datasource import (
    DataSource,
    DataSourceArrowWriter,
    DataSourceStreamArrowWriter,
    DataSourceStreamReader,
    InputPartition,
    WriterCommitMessage,
)
from pyspark.sql.types import StringType

from riacho.pipelines.formats.arrow_columns import one_column
from riacho.pipelines.source.row_schema import arrow_schema, row_schema

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter
    from pyspark.sql.types import StructType

FORMAT = "class-training"
_OPTIONS = {"includeHeaders": "true"}
_PARTITIONS = 2
_ROWS = 100
_BATCHES = 3
_STATE_STORE = "spark.sql.streaming.stateStore.providerClass"
_ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def train(session: SparkSession) -> None:
    session.dataSource.register(Rows)
    with TemporaryDirectory(prefix="riacho-classes-") as place:
        rows = session.readStream.format(FORMAT).load()
        _run(rows.writeStream.foreachBatch(_deliver), place, "delivered")
        _run(_sums_by_window(rows).writeStream.outputMode("update").foreachBatch(_write), place, "sums")
        session.conf.set(_STATE_STORE, _ROCKSDB)
        _run(_sums(rows).writeStream.outputMode("update").foreachBatch(_write), place, "table")
        _run(rows.writeStream.format(FORMAT), place, "written")


def _run(writer: DataStreamWriter, place: str, name: str) -> None:
    """All batches there are."""
    query = writer.queryName(name).option("checkpointLocation", str(Path(place) / name)).start()
    query.processAllAvailable()
    query.stop()


def _deliver(batch: DataFrame, batch_id: int) -> None:
    """As a sink connector has it."""
    decoded = batch.withColumn("decoded", one_column(_as_text, F.col("value"), StringType())).persist()
    decoded.agg(F.count(F.lit(1)), F.count(F.col("decoded.error")), F.collect_set("topic")).first()
    good = decoded.where("decoded.error IS NULL").select("decoded.value", "topic")
    good.mapInArrow(_counted, "rows long").count()
    good.where("topic IS NULL").orderBy("topic").limit(1).collect()
    decoded.unpersist()
    _write(batch, batch_id)


def _write(batch: DataFrame, batch_id: int) -> None:
    batch.write.format(FORMAT).mode("append").save()


def _sums_by_window(rows: DataFrame) -> DataFrame:
    summed = (
        rows.withWatermark("timestamp", "1 minute")
        .groupBy(F.window("timestamp", "10 seconds").alias("window"), F.col("key"))
        .agg(F.sum("offset").alias("sum"), F.count("*").alias("count"))
    )
    start = F.unix_millis("window.start")
    return summed.select(
        F.concat_ws("@", F.col("key").cast("string"), start.cast("string")).alias("key"),
        F.to_json(F.struct(start.alias("from_ms"), "sum", "count")).alias("value"),
    )


def _sums(rows: DataFrame) -> DataFrame:
    parsed = rows.mapInArrow(_same, rows.schema).withColumn(
        "row", F.from_json(F.col("value").cast("string"), "number INT")
    )
    counted = parsed.observe("decoded", F.count("row").alias("rows")).where("row IS NOT NULL")
    summed = counted.groupBy("key").agg(F.sum("row.number").alias("sum"), F.max("timestamp").alias("timestamp"))
    return summed.selectExpr("CAST(key AS STRING) AS key", "to_json(struct(sum)) AS value", "timestamp")


def _as_text(values: pa.Array) -> pa.Array:
    none = pa.nulls(len(values), pa.string())
    return pa.StructArray.from_arrays([values.cast(pa.string()), none], ["value", "error"])


def _same(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield from batches


def _counted(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield pa.RecordBatch.from_pydict({"rows": pa.array([sum(batch.num_rows for batch in batches)], pa.int64())})


class Rows(DataSource):
    """Rows like those of a topic, a few batches of them; what is written is read to its end and forgotten."""

    @classmethod
    def name(cls) -> str:
        return FORMAT

    def schema(self) -> StructType:
        return row_schema(_OPTIONS)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        return _Reader()

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceArrowWriter:
        return _Writer()

    def streamWriter(self, schema: StructType, overwrite: bool) -> DataSourceStreamArrowWriter:
        return _StreamWriter()


class _Reader(DataSourceStreamReader):
    def initialOffset(self) -> dict[str, int]:
        return {"at": 0}

    def latestOffset(self, start: dict[str, int], limit: Any) -> dict[str, int]:
        return {"at": min(start["at"] + 1, _BATCHES)}

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> list[InputPartition]:
        return [InputPartition(number) for number in range(_PARTITIONS)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        made = {
            "key": b"one",
            "value": b'{"number": 1}',
            "topic": "numbers",
            "partition": partition.value,
            "offset": 1,
            "timestamp": datetime.now(UTC),
            "timestampType": 0,
            "headers": [{"key": "made", "value": b"up"}],
        }
        yield pa.RecordBatch.from_pylist([made] * _ROWS, arrow_schema(include_headers=True))


class _Writer(DataSourceArrowWriter):
    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        return _read_to_end(iterator)


class _StreamWriter(DataSourceStreamArrowWriter):
    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        return _read_to_end(iterator)


def _read_to_end(batches: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
    for _ in batches:
        continue
    return WriterCommitMessage()
