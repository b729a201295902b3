"""A statement's query with its sink, exactly once in either output mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.pipelines.sink.each_batch import write_to
from riacho.pipelines.sink.options import DELIVERY
from riacho.pipelines.sink.writer import QUERY_ID
from riacho.pipelines.sql.runner.query_frame import QueryFrame

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter

_SINK_ID = "result"


def written(frame: QueryFrame, spark: SparkSession, checkpoint: str) -> DataStreamWriter:
    """To be named, triggered and started. Spark's Python sinks take no updates: those are written batch by batch."""
    options = frame.sink_options() | {"riacho.checkpoint": checkpoint}
    writer = frame.records(spark).writeStream.outputMode(frame.output_mode).option("checkpointLocation", checkpoint)
    if frame.output_mode == "append":
        return writer.format("riacho").options(**options)
    delivery = options.pop(DELIVERY)
    # On Spark Connect a write does not get its query's id; its name stays with the checkpoint.
    query_id = {QUERY_ID: checkpoint.rstrip("/").rpartition("/")[2]}
    return writer.foreachBatch(write_to(sink_id=_SINK_ID, delivery=delivery, **options, **query_id))
