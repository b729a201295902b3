"""Golden cases as live streaming queries: broker, source, state store, checkpoints and exactly-once sink take part,
with a few records a micro-batch, and the results are those of the test runner.

A few in every run; `RIACHO_KSQL_LIVE=10` takes every tenth case that needs no registry.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import Consumer, KafkaError, TopicPartition
from kafka import KafkaProducer

from riacho.pipelines.spark.session import register
from riacho.pipelines.sql.functions.python_functions import register_python_functions
from riacho.pipelines.sql.plan.pipeline_of import pipeline_of
from riacho.pipelines.sql.plan.steps import StatementPlan
from riacho.pipelines.sql.runner.protocol import Settings
from riacho.pipelines.sql.runner.query_frame import QueryFrame
from riacho.pipelines.sql.testing.case import Case
from riacho.pipelines.sql.testing.case_file import read_directory
from riacho.pipelines.sql.testing.case_run import compared, prepared
from riacho.pipelines.sql.testing.spark_arms import session_beside
from riacho.pipelines.sql.testing.topics import TopicRecord
from riacho.testing import KafkaCluster

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EVERY = int(os.environ.get("RIACHO_KSQL_LIVE", "80"))
RECORDS_A_BATCH = 3
_REGISTRY = ("AVRO", "JSON_SR", "PROTOBUF")
_ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def _is_live(case: Case) -> bool:
    """Whether it has records that come out, and formats that Spark's workers need no registry for."""
    texts = " ".join(case.statements).upper()
    has_registry = any(f"'{name}'" in texts for name in _REGISTRY) or any(
        topic.key_schema or topic.value_schema for topic in case.topics
    )
    return case.expected is None and bool(case.outputs) and bool(case.inputs) and not has_registry


_ALL = [case for case in read_directory(Path(__file__).parents[2] / "scenarios" / "sql") if _is_live(case)]
# Records without headers are not what the source gives by itself.
_ALWAYS = [case for case in _ALL if (case.file, case.name) == ("headers.json", "all of them")]
CASES = [*_ALL[::EVERY], *(case for case in _ALWAYS if case not in _ALL[::EVERY])]


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> Iterator[SparkSession]:
    found = session_beside(spark)
    found.conf.set("spark.sql.streaming.stateStore.providerClass", _ROCKSDB)
    # Active first: by that session Spark looks whether there is such a format.
    found.createDataFrame([], "nothing INT")
    register(found)
    yield found
    spark.createDataFrame([], "nothing INT")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.file.removesuffix('.json')}: {case.name}")
def test_a_live_query_gives_what_the_test_runner_does(case: Case, session: SparkSession) -> None:
    with KafkaCluster() as cluster, tempfile.TemporaryDirectory() as directory:
        engine = prepared(case, None)
        for name in engine.topics.names():
            cluster.create_topic(name)
        _write(cluster, {record.topic: engine.topics.records(record.topic) for record in case.inputs})
        given = {record.topic: len(engine.topics.records(record.topic)) for record in case.inputs}
        for number, query in enumerate(engine.queries()):
            _run(session, query.plan, cluster.bootstrap_servers, f"{directory}/{number}")
        for query in engine.queries():
            topic = query.plan.write.topic
            engine.topics.records(topic)[:] = _read(cluster, topic)
            assert len(engine.topics.records(topic)) >= given.get(topic, 0)
        assert compared(case, engine).why == ()


def _run(session: SparkSession, plan: StatementPlan, bootstrap: str, checkpoint: str) -> None:
    """Until all that is there has gone through, in micro-batches."""
    register_python_functions(session, plan.functions)
    frame = QueryFrame(pipeline_of(plan), Settings(bootstrap_servers=bootstrap), 1, RECORDS_A_BATCH)
    query = (
        frame.records(session)
        .writeStream.format("riacho")
        .options(**frame.sink_options())
        .option("checkpointLocation", checkpoint)
        .option("riacho.checkpoint", checkpoint)
        .outputMode("append")
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()


def _write(cluster: KafkaCluster, records: dict[str, list[TopicRecord]]) -> None:
    # librdkafka takes a time of 0 for now; this client does not.
    producer = KafkaProducer(bootstrap_servers=cluster.bootstrap_servers)
    for topic, found in records.items():
        for record in found:
            producer.send(
                topic,
                key=record.key,
                value=record.value,
                timestamp_ms=record.timestamp_ms,
                headers=list(record.headers),
                partition=0,
            )
    producer.close(60)


def _read(cluster: KafkaCluster, topic: str) -> list[TopicRecord]:
    consumer = Consumer(
        {
            "bootstrap.servers": cluster.bootstrap_servers,
            "group.id": "live",
            "isolation.level": "read_committed",
            "enable.partition.eof": True,
        }
    )
    consumer.assign([TopicPartition(topic, 0, 0)])
    found = []
    while True:
        message = consumer.poll(30)
        assert message is not None, f"{topic} cannot be read"
        error = message.error()
        if error is not None:
            assert error.code() == KafkaError._PARTITION_EOF, error
            consumer.close()
            return found
        headers = tuple(message.headers() or ())
        found.append(TopicRecord(message.key(), message.value(), message.timestamp()[1], headers))
