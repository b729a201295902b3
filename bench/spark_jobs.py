"""The jobs that a session runs and times: reads, writes, and micro-batches of a few records each.

Each takes what the bench wants to know as a dictionary and gives figures: `rows`, `seconds`, sometimes `start_s`, or
`p50_ms` and `p99_ms`.
"""

from __future__ import annotations

import shutil
import statistics
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as f

from bench.ksql_jobs import job_start, job_stop
from bench.spark_formats import format_decode, format_encode
from bench.spark_plan import PARTITIONS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

Wanted = dict[str, Any]
Figures = dict[str, float]
QUERY_TIMEOUT_S = 300
_VALUE_SIZES = {"100 B": 100, "1 KB": 1024}


def source_batch(spark: SparkSession, wanted: Wanted) -> Figures:
    frame = _into(spark.read.format(wanted["format"]).options(**_source(wanted), endingOffsets="latest").load(), wanted)
    place = _scratch(wanted)
    writer = frame.write.mode("overwrite")
    started = time.perf_counter()
    if wanted["into"] == "Parquet":
        writer.parquet(str(place))
    else:
        writer.format("noop").save()
    seconds = time.perf_counter() - started
    shutil.rmtree(place, ignore_errors=True)
    return {"rows": wanted["rows"], "seconds": seconds}


def source_stream(spark: SparkSession, wanted: Wanted) -> Figures:
    frame = spark.readStream.format(wanted["format"]).options(**_source(wanted)).load()
    if wanted["into"] == "window":
        frame = frame.withWatermark("timestamp", "10 minutes")
    frame, place = _into(frame, wanted), _scratch(wanted)
    writer = frame.writeStream.outputMode("update" if wanted["into"] == "window" else "append")
    if wanted["into"] == "Parquet":
        writer = writer.format("parquet").option("path", str(place / "out"))
    else:
        writer = writer.format("noop")
    return _available_now(writer, place, wanted["rows"])


def sink_batch(spark: SparkSession, wanted: Wanted) -> Figures:
    frame = _made_up(spark.range(0, wanted["rows"], 1, PARTITIONS), "id", wanted)
    started = time.perf_counter()
    frame.write.format(wanted["format"]).options(**_sink(wanted)).mode("append").save()
    return {"rows": wanted["rows"], "seconds": time.perf_counter() - started}


def sink_stream(spark: SparkSession, wanted: Wanted) -> Figures:
    made = spark.readStream.format("rate-micro-batch")
    made = made.options(rowsPerBatch=wanted["rows"], numPartitions=PARTITIONS)
    frame = _made_up(made.load(), "value", wanted)
    writer = frame.writeStream.format(wanted["format"]).options(**_sink(wanted))
    return _available_now(writer, _scratch(wanted), wanted["rows"])


def latency(spark: SparkSession, wanted: Wanted) -> Figures:
    """Micro-batch after micro-batch while the bench sends records; the first ones are not counted."""
    options = _source(wanted) | {"startingOffsets": "latest"}
    frame = spark.readStream.format(wanted["format"]).options(**options).load()
    place = _scratch(wanted)
    if wanted.get("into") == "sink":
        writer = frame.select("key", "value").writeStream.format(wanted["format"]).options(**_sink(wanted))
    else:
        writer = frame.writeStream.format("noop")
    query = writer.option("checkpointLocation", str(place / "checkpoint")).start()
    try:
        _wait_for_batches(query, wanted["warm_up"] + wanted["batches"])
        times_ms = [
            progress.durationMs["triggerExecution"] for progress in query.recentProgress if progress.numInputRows > 0
        ]
    finally:
        query.stop()
        shutil.rmtree(place, ignore_errors=True)
    counted = sorted(times_ms[wanted["warm_up"] :])
    return {"p50_ms": statistics.median(counted), "p99_ms": counted[int(0.99 * (len(counted) - 1) + 0.5)]}


def count(spark: SparkSession, wanted: Wanted) -> Figures:
    """How many rows the source gives, to see that both read the same."""
    frame = spark.read.format(wanted["format"]).options(**_source(wanted)).load()
    return {"rows": frame.count(), "seconds": 0.0}


JOBS: dict[str, Callable[[SparkSession, Wanted], Figures]] = {
    job.__name__: job
    for job in (
        source_batch,
        source_stream,
        sink_batch,
        sink_stream,
        latency,
        count,
        format_decode,
        format_encode,
        job_start,
        job_stop,
    )
}


def _source(wanted: Wanted) -> dict[str, str]:
    return {
        "kafka.bootstrap.servers": wanted["bootstrap"],
        "subscribe": wanted["topic"],
        "startingOffsets": "earliest",
    }


def _sink(wanted: Wanted) -> dict[str, str]:
    options = {"kafka.bootstrap.servers": wanted["bootstrap"], "topic": wanted["topic_out"]}
    if wanted["format"] == "riacho" and "delivery" in wanted:
        options["riacho.delivery"] = wanted["delivery"]
    return options


def _into(frame: DataFrame, wanted: Wanted) -> DataFrame:
    if wanted["into"] != "window":
        return frame
    window = f.window("timestamp", "5 minutes")
    return frame.groupBy(window, "key").agg(f.count("*").alias("rows"), f.sum(f.length("value")).alias("size_bytes"))


def _made_up(frame: DataFrame, number: str, wanted: Wanted) -> DataFrame:
    key = f.concat(f.lit("account-"), (f.col(number) % 1000).cast("string")).cast("binary")
    value = f.rpad(f.col(number).cast("string"), _VALUE_SIZES[wanted["size"]], "x").cast("binary")
    return frame.select(key.alias("key"), value.alias("value"))


def _available_now(writer: Any, place: Path, rows: int) -> Figures:
    started = time.perf_counter()
    query = writer.option("checkpointLocation", str(place / "checkpoint")).trigger(availableNow=True).start()
    ended = query.awaitTermination(QUERY_TIMEOUT_S)
    seconds = time.perf_counter() - started
    try:
        if not ended:
            raise TimeoutError(f"the query did not end within {QUERY_TIMEOUT_S} s")
        batches = query.recentProgress
        read = sum(progress.numInputRows for progress in batches)
        if read != rows:
            raise RuntimeError(f"the query read {read:,} rows of {rows:,}")
        running_s = sum(progress.durationMs["triggerExecution"] for progress in batches) / 1000
        return {"rows": rows, "seconds": running_s, "start_s": max(seconds - running_s, 0.0)}
    finally:
        query.stop()
        shutil.rmtree(place, ignore_errors=True)


def _wait_for_batches(query: StreamingQuery, wanted: int) -> None:
    deadline = time.monotonic() + QUERY_TIMEOUT_S
    while time.monotonic() < deadline:
        error = query.exception()
        if error is not None:
            raise RuntimeError(str(error).splitlines()[0])
        last = query.lastProgress
        # One more: the first may have found nothing.
        if last is not None and last.batchId > wanted:
            return
        time.sleep(0.2)
    raise TimeoutError(f"fewer than {wanted} micro-batches within {QUERY_TIMEOUT_S} s")


def _scratch(wanted: Wanted) -> Path:
    return Path(wanted["directory"]) / uuid.uuid4().hex
