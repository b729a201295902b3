"""A statement's pipeline as a streaming frame: read, decode, project, tasks, encode. One Spark query a statement."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from riacho.pipelines.pipeline import Pipeline, Topics
from riacho.pipelines.sink.each_batch import write_to
from riacho.pipelines.sink.options import DELIVERY
from riacho.pipelines.sink.writer import QUERY_ID
from riacho.pipelines.spark.read_format import read_format
from riacho.pipelines.sql.plan.scopes import NO_HEADERS
from riacho.pipelines.sql.plan.steps import Aggregate, Decode, Encode, Project, SqlStep, Step, Task
from riacho.pipelines.sql.runner.frame_schemas import CHANGES, DECODED, RECORDS
from riacho.pipelines.sql.runner.left_out import told_left_out
from riacho.pipelines.sql.runner.protocol import Settings
from riacho.pipelines.sql.runner.record_columns import DecodeRecords, EncodeRecords, Logged
from riacho.pipelines.sql.runner.task_processor import TaskProcessor

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter

# One micro-batch goes through the whole plan at once.
MAX_OFFSETS_PER_TRIGGER = 100_000
BUCKET = "bucket"
DROPPED = "dropped"
_SINK_ID = "result"


class QueryFrame:
    """What is run is all in the pipeline; `settings` say where. `partitions`: how many buckets a task has, as its topic
    has partitions in ksqlDB. `offsets_max`: records of one micro-batch."""

    def __init__(
        self,
        pipeline: Pipeline[SqlStep],
        settings: Settings,
        partitions: int,
        offsets_max: int = MAX_OFFSETS_PER_TRIGGER,
    ) -> None:
        self._pipeline = pipeline
        self._reads = {step.topic: step for step in pipeline.steps if isinstance(step, Decode)}
        self._steps = [step for step in pipeline.steps if isinstance(step, Step)]
        (self._write,) = (step for step in pipeline.steps if isinstance(step, Encode))
        self._offsets_max = offsets_max
        self._settings = settings
        self._partitions = max(1, partitions)
        self._logged = Logged(pipeline.errors.dead_letter_topic or "", self._options(), pipeline.name)

    def results(self, spark: SparkSession) -> DataFrame:
        """What stands before Encode: k, v, ts, headers, ws, we."""
        frame = self._counted(self._decoded(spark), "decoded")
        for number, step in enumerate(self._steps):
            frame = self._step(frame, step, number)
        return frame

    @property
    def output_mode(self) -> str:
        return "update" if any(isinstance(step, Aggregate) for step in self._steps) else "append"

    def records(self, spark: SparkSession) -> DataFrame:
        """As the sink takes them."""
        encode = EncodeRecords(self._write, self._settings.registry, self._logged)
        columns = ("k", "v", "ts", "headers", "ws", "we")
        encoded = self.results(spark).select(*columns).mapInArrow(encode, RECORDS)
        return self._counted(encoded, "encoded").drop(DROPPED)

    def sink_options(self) -> dict[str, str]:
        return self._options() | {DELIVERY: self._pipeline.guarantee}

    def source_options(self) -> dict[str, str]:
        assert isinstance(self._pipeline.source, Topics), "statements read topics"
        return self._options() | {
            "subscribe": ",".join(self._reads),
            "startingOffsets": self._pipeline.source.reset,
            "kafka.isolation.level": "read_committed",
            "includeHeaders": "true",
            "maxOffsetsPerTrigger": str(self._offsets_max),
        }

    def written(self, spark: SparkSession, checkpoint: str) -> DataStreamWriter:
        """With its sink, exactly once in either output mode; to be named, triggered and started. Spark's Python sinks
        take no updates: those are written batch by batch."""
        options = self.sink_options() | {"riacho.checkpoint": checkpoint}
        writer = self.records(spark).writeStream.outputMode(self.output_mode).option("checkpointLocation", checkpoint)
        if self.output_mode == "append":
            return writer.format("riacho").options(**options)
        delivery = options.pop(DELIVERY)
        # On Spark Connect a write does not get its query's id; its name stays with the checkpoint.
        query_id = {QUERY_ID: checkpoint.rstrip("/").rpartition("/")[2]}
        return writer.foreachBatch(write_to(sink_id=_SINK_ID, delivery=delivery, **options, **query_id))

    def _decoded(self, spark: SparkSession) -> DataFrame:
        raw = spark.readStream.format(read_format(spark)).options(**self.source_options()).load()
        # Empty where there are none. Spark asks for the size of a batch to Python after each row, and Arrow then goes
        # over all lists since the last one that was not null: with nulls alone, that is all rows, each time.
        listed = raw.withColumn("headers", F.expr(f"coalesce(headers, {NO_HEADERS})"))
        return listed.mapInArrow(DecodeRecords(self._reads, self._settings.registry, self._logged), DECODED)

    def _step(self, frame: DataFrame, step: Step, number: int) -> DataFrame:
        match step:
            case Project():
                return projected(frame, step)
            case Aggregate():
                return self._aggregate(frame, step, number)
            case Task():
                return self._task(frame, step, number)

    def _aggregate(self, frame: DataFrame, step: Aggregate, number: int) -> DataFrame:
        told = frame.withColumn(DROPPED, told_left_out(self._logged)(F.col("left_out")))
        rows = self._counted(told, f"task{number}")
        return rows.groupBy("key").agg(*(F.expr(text).alias(name) for name, text in step.columns))

    def _task(self, frame: DataFrame, step: Task, number: int) -> DataFrame:
        bucketed = frame.withColumn(BUCKET, F.expr(f"CAST(pmod(xxhash64(key), {self._partitions}) AS INT)"))
        processor = TaskProcessor(step.spec, self._logged, self._settings.modules)
        changes = bucketed.groupBy(BUCKET).transformWithState(
            statefulProcessor=processor, outputStructType=CHANGES, outputMode="Append", timeMode="None"
        )
        return self._counted(changes, f"task{number}")

    def _counted(self, frame: DataFrame, name: str) -> DataFrame:
        """Without the rows that are left out, whose number comes with the figures of the micro-batch."""
        return frame.observe(name, F.count(DROPPED).alias(DROPPED)).where(F.col(DROPPED).isNull())

    def _options(self) -> dict[str, str]:
        client: Mapping[str, str] = {f"kafka.{name}": text for name, text in self._settings.client.items()}
        # As Kafka Streams names those of ksqlDB's queries.
        known_as = {"kafka.client.id": f"query_{self._pipeline.name}"}
        return {"kafka.bootstrap.servers": self._settings.bootstrap_servers, **known_as, **client}


def projected(frame: DataFrame, step: Project) -> DataFrame:
    kept = frame.where(F.expr(step.where)) if step.where else frame
    return kept.selectExpr(*(f"{expression} AS `{name}`" for name, expression in step.columns))
