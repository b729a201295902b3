"""An epoch that Spark runs again: what was written stays as it was, and another number of tasks is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pyarrow as pa
import pytest
from pyspark.errors import StreamingQueryException

from riacho.pipelines.sink.epoch import commit_epoch
from riacho.pipelines.sink.markers import SinkName
from riacho.pipelines.sink.options import parse_options
from riacho.pipelines.sink.task import write_in_transaction
from riacho.pipelines.sink.task_written import WRITTEN, TaskRun, TaskWritten
from riacho.testing import KafkaCluster
from support.spark_sink_reading import committed, text

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EPOCHS = 2


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    for epoch in range(EPOCHS):
        (tmp_path / "in" / f"{epoch}.csv").write_text("".join(f"{epoch}-{row}\n" for row in range(20)))
    return tmp_path


def run(spark: SparkSession, cluster: KafkaCluster, directory: Path, topic: str, tasks: int) -> None:
    """Whatever the checkpoint says is to be done, cut into so many tasks by what a row says."""
    lines = spark.readStream.schema("value string").option("maxFilesPerTrigger", 1).csv(str(directory / "in"))
    query = (
        lines.repartition(tasks, "value")
        .writeStream.format("riacho")
        .option("kafka.bootstrap.servers", cluster.bootstrap_servers)
        .option("topic", topic)
        .option("checkpointLocation", str(directory / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    assert query.awaitTermination(400)


def forget_commit(directory: Path, epoch: int) -> None:
    """As if the driver had been killed before Spark noted the epoch as done."""
    for file in (directory / "checkpoint" / "commits").glob(f"*{epoch}*"):
        file.unlink()


def test_an_epoch_again(spark: SparkSession, kafka_cluster_session: KafkaCluster, directory: Path) -> None:
    topic = f"t-{uuid4().hex[:8]}"
    kafka_cluster_session.create_topic(topic, partitions=1)

    def wanted(epochs: int) -> list[str]:
        return sorted(f"{epoch}-{row}" for epoch in range(epochs) for row in range(20))

    def found() -> list[str]:
        return sorted(text(m.value()) for m in committed(kafka_cluster_session.bootstrap_servers, topic))

    run(spark, kafka_cluster_session, directory, topic, tasks=3)
    assert found() == wanted(EPOCHS)
    forget_commit(directory, EPOCHS - 1)
    run(spark, kafka_cluster_session, directory, topic, tasks=3)
    assert found() == wanted(EPOCHS)
    # All of the epoch is in, so that it is cut in another way now does not matter.
    forget_commit(directory, EPOCHS - 1)
    run(spark, kafka_cluster_session, directory, topic, tasks=2)
    assert found() == wanted(EPOCHS)
    # A driver dies after one commit of three: cut into two, the epoch is refused; cut into three, it is completed.
    write_a_third(spark, kafka_cluster_session, directory, topic)
    with pytest.raises(StreamingQueryException, match="was partly written in 3 tasks and is now run in 2"):
        run(spark, kafka_cluster_session, directory, topic, tasks=2)
    run(spark, kafka_cluster_session, directory, topic, tasks=3)
    assert found() == wanted(EPOCHS + 1)


def write_a_third(spark: SparkSession, cluster: KafkaCluster, directory: Path, topic: str) -> None:
    """Give the next epoch its input, and commit the first task of three of it as the query would."""
    more = directory / "in" / f"{EPOCHS}.csv"
    more.write_text("".join(f"{EPOCHS}-{row}\n" for row in range(20)))
    rows = spark.read.schema("value string").csv(str(more)).repartition(3, "value")
    parts = [[row.value for row in rows.where(f"spark_partition_id() = {task}").collect()] for task in range(3)]
    assert all(parts)
    query_id = json.loads((directory / "checkpoint" / "metadata").read_text())["id"]
    options = parse_options({"kafka.bootstrap.servers": cluster.bootstrap_servers, "topic": topic})
    runs = [TaskRun(SinkName(query_id, "stream"), EPOCHS, task) for task in range(3)]
    batch = pa.record_batch({"value": pa.array(parts[0])})
    written = write_in_transaction(options, [batch], runs[0])
    others = [TaskWritten(len(parts[task]), WRITTEN, runs[task]) for task in (1, 2)]
    commit_epoch(options, [written, *others])
