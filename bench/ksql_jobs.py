"""The statements of the KSQL bench as jobs by hand, with Spark's own Kafka connector; run in a session of the bench."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as f

from bench.ksql_plan import MAX_OFFSETS_PER_TRIGGER, TRIGGER_MS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_FIELDS = "ID BIGINT, KIND STRING, CENTS BIGINT, NOTE STRING"


def job_start(spark: SparkSession, wanted: dict[str, Any]) -> dict[str, float]:
    """A streaming query from a topic to a topic, which goes on; `what` is stateless or aggregating."""
    options = {
        "kafka.bootstrap.servers": wanted["bootstrap"],
        "subscribe": wanted["topic"],
        "startingOffsets": "earliest",
        "maxOffsetsPerTrigger": str(MAX_OFFSETS_PER_TRIGGER),
    }
    read = spark.readStream.format(wanted["format"]).options(**options).load()
    rows = read.select(f.col("key"), f.from_json(f.col("value").cast("string"), _FIELDS).alias("row"))
    made = _aggregated(rows) if wanted["what"] == "aggregating" else _projected(rows)
    (
        made.writeStream.queryName(wanted["name"])
        .format(wanted["format"])
        .option("kafka.bootstrap.servers", wanted["bootstrap"])
        .option("topic", wanted["topic_out"])
        .option("checkpointLocation", str(Path(wanted["directory"]) / uuid.uuid4().hex))
        .outputMode("update" if wanted["what"] == "aggregating" else "append")
        .trigger(processingTime=f"{TRIGGER_MS} milliseconds")
        .start()
    )
    return {}


def job_stop(spark: SparkSession, wanted: dict[str, Any]) -> dict[str, float]:
    for query in spark.streams.active:
        if query.name == wanted["name"]:
            query.stop()
    return {}


def _projected(rows: DataFrame) -> DataFrame:
    made = f.struct(
        f.col("row.ID").alias("ID"),
        f.upper("row.KIND").alias("KIND"),
        (f.col("row.CENTS") * 2).alias("DOUBLED"),
    )
    return rows.where("row.CENTS >= 0").select("key", f.to_json(made).alias("value"))


def _aggregated(rows: DataFrame) -> DataFrame:
    grouped = rows.groupBy("key").agg(f.count("*").alias("NUMBER"), f.sum("row.CENTS").alias("TOTAL"))
    return grouped.select("key", f.to_json(f.struct("NUMBER", "TOTAL")).alias("value"))
