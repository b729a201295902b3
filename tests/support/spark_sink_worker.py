"""A driver that may be killed: two queries from files to topics, exactly once, until the files are used up.

    python spark_sink_worker.py BOOTSTRAP DIRECTORY MASTER

`stateless` passes lines on in append mode; `stateful` counts and adds up by key, in update mode through foreachBatch.
What tasks and commits do is appended to DIRECTORY/trace, a line each, so that whoever kills knows where things are.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.datasource import DataSource, DataSourceArrowWriter, DataSourceStreamArrowWriter
from pyspark.sql.types import StructType

STATELESS, STATEFUL = "stateless", "stateful"
FILES_PER_EPOCH = 3
_FAILURES_MAX = 40
_TURN_S = 1


class Trace:
    """Appends whole lines: those of several processes do not mix."""

    def __init__(self, file: str) -> None:
        self._file = file

    def say(self, *words: object) -> None:
        handle = os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(handle, (" ".join(map(str, words)) + "\n").encode())
        os.close(handle)


class TracedSource(DataSource):
    """The format's writers, telling what they do."""

    @classmethod
    def name(cls) -> str:
        return "riacho-traced"

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceArrowWriter:
        from riacho.pipelines.sink.writer import batch_writer

        options = dict(self.options)
        return _traced(DataSourceArrowWriter, batch_writer(options, schema, overwrite), options)

    def streamWriter(self, schema: StructType, overwrite: bool) -> DataSourceStreamArrowWriter:
        from riacho.pipelines.sink.writer import stream_writer

        options = dict(self.options)
        return _traced(DataSourceStreamArrowWriter, stream_writer(options, schema, overwrite), options)


def _traced(kind: type, inner: Any, options: Mapping[str, str]) -> Any:
    trace, topic = Trace(options["trace"]), options["topic"]

    class Traced(kind):  # type: ignore[misc]
        def write(self, iterator: Iterator[pa.RecordBatch]) -> Any:
            trace.say("task", topic)
            written = inner.write(iterator)
            trace.say(written.outcome, topic, written.run.epoch, written.run.task)
            return written

        def commit(self, messages: Sequence[Any], *more: Any) -> None:
            trace.say("commit", topic, len(messages))
            inner.commit(messages, *more)
            trace.say("committed", topic)

        def abort(self, messages: Sequence[Any], *more: Any) -> None:
            trace.say("abort", topic)
            inner.abort(messages, *more)

    return Traced()


def session(master: str) -> SparkSession:
    import riacho

    conf = {
        "spark.driver.memory": "1g",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        # Where executors are processes: no more than a worker of `local-cluster[2,1,768]` has.
        "spark.executor.memory": "640m",
        "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.log.level": "OFF",
        "spark.sql.shuffle.partitions": "2",
        # A killed Python worker is a failed task, which is to be run again, in the same epoch.
        "spark.task.maxFailures": "4",
    }
    spark: SparkSession = riacho.spark("faults", master, conf=conf)
    spark.dataSource.register(TracedSource)
    return spark


def start(spark: SparkSession, name: str, bootstrap: str, directory: Path) -> Any:
    lines = (
        spark.readStream.schema("key string, number long")
        .option("maxFilesPerTrigger", FILES_PER_EPOCH)
        .csv(str(directory / "input"))
    )
    options = {
        "kafka.bootstrap.servers": bootstrap,
        "topic": name,
        "trace": str(directory / "trace"),
        "kafka.transaction.timeout.ms": "60000",
    }
    if name == STATELESS:
        rows = lines.selectExpr("key", "cast(number as string) as value")
        stream = rows.writeStream.format("riacho-traced").options(**options).trigger(availableNow=True)
    else:
        sums = lines.groupBy("key").agg(F.count("*").alias("n"), F.sum("number").alias("s"))
        rows = sums.selectExpr("key", "concat(n, ':', s) as value")

        def put(frame: DataFrame, epoch: int) -> None:
            own = {**options, "riacho.sink.id": "sums", "riacho.delivery": "exactly-once"}
            frame.write.format("riacho-traced").mode("append").options(**own).save()

        stream = rows.writeStream.outputMode("update").foreachBatch(put).trigger(availableNow=True)
    return stream.option("checkpointLocation", str(directory / "checkpoint" / name)).start()


def main(bootstrap: str, directory: Path, master: str) -> None:
    """To the end of the input. A query that fails is started again, as whoever runs one would."""
    spark = session(master)
    trace = Trace(str(directory / "trace"))
    trace.say("session")
    # From this thread alone: Spark knows the session, and so its formats, by thread.
    queries = {name: start(spark, name, bootstrap, directory) for name in (STATELESS, STATEFUL)}
    failures = 0
    while queries:
        for name, query in list(queries.items()):
            try:
                if query.awaitTermination(_TURN_S):
                    del queries[name]
            except StreamingQueryException as error:
                print(name, str(error)[:2_000], file=sys.stderr)
                trace.say("failed", name)
                failures += 1
                if failures > _FAILURES_MAX:
                    raise
                queries[name] = start(spark, name, bootstrap, directory)
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3])
