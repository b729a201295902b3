"""Frames to topics: what confluent-kafka reads back is what the rows said. Few jobs with many cases each."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from confluent_kafka import Producer

from riacho.testing import KafkaCluster
from support.spark_sink_reading import committed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SCHEMA = (
    "topic string, key string, value binary, partition int, timestamp timestamp,"
    "headers array<struct<key: string, value: binary>>, other int"
)


def new_topic(cluster: KafkaCluster, partitions: int = 1) -> str:
    name = f"t-{uuid4().hex[:8]}"
    cluster.create_topic(name, partitions=partitions)
    return name


def write(frame: DataFrame, cluster: KafkaCluster, **options: str) -> None:
    given = {"kafka.bootstrap.servers": cluster.bootstrap_servers} | options
    frame.write.format("riacho").mode("append").options(**given).save()


def test_every_column(spark: SparkSession, kafka_cluster_session: KafkaCluster) -> None:
    one, two = new_topic(kafka_cluster_session, 3), new_topic(kafka_cluster_session)
    rows = [
        (one, "k", b"v", None, None, None, 1),
        (one, None, b"none", 2, None, [], 1),
        (one, "tombstone", None, 1, None, [("h", b"1"), ("h", None)], 1),
        (two, "", b"", None, None, [("ação", b"\xff")], 1),
    ]
    frame = spark.createDataFrame(rows, SCHEMA).selectExpr(
        "topic", "key", "value", "partition", "timestamp'2026-01-02 03:04:05.678' as timestamp", "headers", "other"
    )
    write(frame, kafka_cluster_session, **{"kafka.compression.type": "zstd"})
    found = {m.key(): m for m in committed(kafka_cluster_session.bootstrap_servers, one, 3)}
    assert {m.timestamp()[1] for m in found.values()} == {1767323045678}
    assert found[None].value() == b"none"
    assert found[None].partition() == 2
    assert found[b"tombstone"].value() is None
    assert found[b"tombstone"].headers() == [("h", b"1"), ("h", None)]
    assert found[b"tombstone"].partition() == 1
    [empty] = committed(kafka_cluster_session.bootstrap_servers, two)
    assert (empty.key(), empty.value(), empty.headers()) == (b"", b"", [("ação", b"\xff")])


def test_keys_go_where_other_producers_send_them(spark: SparkSession, kafka_cluster_session: KafkaCluster) -> None:
    ours, theirs = new_topic(kafka_cluster_session, 7), new_topic(kafka_cluster_session, 7)
    frame = spark.range(0, 300, 1, 3).selectExpr("cast(id * 7919 as string) as key", "cast(id as string) as value")
    write(frame, kafka_cluster_session, topic=ours, **{"kafka.batch.size": "2000", "kafka.compression.type": "lz4"})
    producer = Producer({"bootstrap.servers": kafka_cluster_session.bootstrap_servers, "partitioner": "murmur2_random"})
    for number in range(300):
        producer.produce(theirs, str(number), str(number * 7919))
    assert producer.flush(180) == 0
    where = [
        {(m.key(), m.value(), m.partition()) for m in committed(kafka_cluster_session.bootstrap_servers, topic, 7)}
        for topic in (ours, theirs)
    ]
    assert len(where[0]) == 300
    assert where[0] == where[1]


def test_errors_reach_the_user_in_one_sentence(spark: SparkSession, kafka_cluster_session: KafkaCluster) -> None:
    """One that planning finds, one that a task does; all the others are in the unit tests."""
    with pytest.raises(Exception, match="Column 'value' is int, but must be string or binary"):
        write(spark.range(1).selectExpr("1 as value"), kafka_cluster_session, topic="x")
    null_topic = spark.range(1).selectExpr("'a' as value", "cast(null as string) as topic")
    with pytest.raises(Exception, match="A row has no topic: its column 'topic' is null"):
        write(null_topic, kafka_cluster_session)


def test_update_mode_through_each_batch(
    spark: SparkSession, kafka_cluster_session: KafkaCluster, tmp_path_factory: pytest.TempPathFactory
) -> None:
    from riacho.pipelines.sink.each_batch import write_to

    directory = tmp_path_factory.mktemp("each-batch")
    topic = new_topic(kafka_cluster_session)
    (directory / "in").mkdir()
    for number in range(2):
        (directory / "in" / f"{number}.csv").write_text(f"a\nb{number}\n")
    counts = spark.readStream.schema("key string").option("maxFilesPerTrigger", 1).csv(str(directory / "in"))
    frame = counts.groupBy("key").count().selectExpr("key", "cast(count as string) as value")
    sink = write_to(topic=topic, sink_id="counts", kafka_bootstrap_servers=kafka_cluster_session.bootstrap_servers)
    query = (
        frame.writeStream.outputMode("update")
        .option("checkpointLocation", str(directory / "checkpoint"))
        .trigger(availableNow=True)
        .foreachBatch(sink)
        .start()
    )
    assert query.awaitTermination(400)
    found = [(m.key(), m.value()) for m in committed(kafka_cluster_session.bootstrap_servers, topic)]
    assert sorted(found) == [(b"a", b"1"), (b"a", b"2"), (b"b0", b"1"), (b"b1", b"1")]
