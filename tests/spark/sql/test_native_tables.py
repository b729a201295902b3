"""Spark's own aggregation and the task's: the same records through both, in micro-batches and over a restart from the
checkpoint, leave the same table."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from confluent_kafka import Consumer, KafkaError, TopicPartition
from kafka import KafkaProducer

from riacho.pipelines.spark.session import register
from riacho.pipelines.sql.analysis.settings import Settings as Analysis
from riacho.pipelines.sql.plan.pipeline_of import pipeline_of
from riacho.pipelines.sql.plan.plan_json import plan_from_json, plan_to_json
from riacho.pipelines.sql.plan.planner import NATIVE
from riacho.pipelines.sql.plan.steps import Aggregate, StatementPlan, Task
from riacho.pipelines.sql.runner.hosted_query import progress_of
from riacho.pipelines.sql.runner.protocol import Settings
from riacho.pipelines.sql.runner.query_frame import QueryFrame
from riacho.pipelines.sql.testing.spark_arms import session_beside
from riacho.testing import KafkaCluster
from support.sql_statements import carry_out

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PARTITIONS = 2
RECORDS_A_BATCH = 90
LOG = "the-log"
_ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
_INTS = (0, 1, -1, 7, 2**31 - 1, -(2**31))
_LONGS = (*_INTS, 2**63 - 1, -(2**63), 2**53 + 1)
_DECIMALS = ("0.00", "-0.01", "99999999.99", "-99999999.99", "1.50")

STATEMENTS = """
CREATE STREAM events (id VARCHAR KEY, g VARCHAR, h DOUBLE, i INT, l BIGINT, d DECIMAL(10, 2), t TIMESTAMP, a ARRAY<INT>)
  WITH (KAFKA_TOPIC='events', VALUE_FORMAT='JSON');
CREATE TABLE totals WITH (KEY_FORMAT='JSON') AS SELECT g, h,
    COUNT(*) AS n, COUNT(i) AS ni, COUNT(a) AS na, SUM(i) AS si, SUM(l) AS sl,
    AVG(i) AS ai, AVG(l) AS al, MIN(i) AS mi, MAX(l) AS ml, MIN(d) AS md, MAX(d) AS xd, MIN(t) AS mt, MAX(t) AS xt,
    SUM(i + 1) * 2 AS twice, AS_VALUE(g) AS same
  FROM events WHERE i IS NULL OR i <> 7 GROUP BY g, h EMIT CHANGES;
"""


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> Iterator[SparkSession]:
    found = session_beside(spark)
    found.conf.set("spark.sql.streaming.stateStore.providerClass", _ROCKSDB)
    found.createDataFrame([], "nothing INT")
    register(found)
    yield found
    spark.createDataFrame([], "nothing INT")


def _plan(is_native: bool) -> StatementPlan:
    properties = {"auto.offset.reset": "earliest", NATIVE: str(is_native).lower()}
    plan = carry_out(STATEMENTS, settings=Analysis(properties)).query.plan
    assert any(isinstance(step, Aggregate) for step in plan.steps) is is_native
    assert any(isinstance(step, Task) for step in plan.steps) is not is_native
    return plan_from_json(plan_to_json(plan))


@pytest.mark.parametrize("seed", range(2))
def test_the_task_and_spark_leave_the_same_table(seed: int, session: SparkSession, tmp_path: Path) -> None:
    chance = random.Random(seed)
    sent = [_record(chance) for _ in range(400)]
    without_group = sum(1 for _, value, _ in sent if _is_left_out(value))
    with KafkaCluster() as cluster:
        for name in ("events", LOG):
            cluster.create_topic(name, partitions=PARTITIONS if name == "events" else 1)
        plans = {"native": _plan(True), "task": _plan(False)}
        plans = {name: _into(plan, name) for name, plan in plans.items()}
        for name in plans:
            cluster.create_topic(name, partitions=1)
        dropped = dict.fromkeys(plans, 0)
        # What is there, then a restart from the checkpoint with more.
        for part in (sent[:230], sent[230:]):
            _write(cluster, part)
            for name, plan in plans.items():
                dropped[name] += _run(session, plan, cluster.bootstrap_servers, str(tmp_path / name))
        tables = {name: _read(cluster, name) for name in plans}
        last = {name: dict(((key, (value, time)) for key, value, time in found)) for name, found in tables.items()}
        assert last["native"] == last["task"]
        assert len(last["native"]) > 10
        # One row a key and micro-batch in both.
        assert Counter(row[0] for row in tables["native"]) == Counter(row[0] for row in tables["task"])
        assert without_group > 20
        assert dropped == dict.fromkeys(plans, without_group)
        logged = [json.loads(value)["message"]["recordProcessingError"] for _, value, _ in _read(cluster, LOG)]
        assert len(logged) == 2 * without_group
        assert {line["errorMessage"] for line in logged} == {"Skipping record due to null key."}
        texts = sorted(line["record"] for line in logged)
        assert texts[::2] == texts[1::2]


def _record(chance: random.Random) -> tuple[str, dict[str, Any] | None, int]:
    value = {
        "G": chance.choice(("a", "b", "é𝄞", "", None)),
        "H": chance.choice((0.0, -0.0, 1.5)),
        "I": chance.choice((*_INTS, None)),
        "L": chance.choice((*_LONGS, None)),
        "D": chance.choice((*_DECIMALS, None)),
        "T": chance.choice((0, 1_700_000_000_000, None)),
        "A": chance.choice(([], [1, None], None)),
    }
    return f"k{chance.randrange(5)}", value if chance.random() > 0.05 else None, chance.randrange(1, 10**9)


def _is_left_out(value: dict[str, Any] | None) -> bool:
    """After WHERE, which no record without a value passes."""
    return value is not None and value["I"] != 7 and value["G"] is None


def _into(plan: StatementPlan, topic: str) -> StatementPlan:
    return replace(plan, write=replace(plan.write, topic=topic))


def _run(session: SparkSession, plan: StatementPlan, bootstrap: str, checkpoint: str) -> int:
    """Until all that is there has gone through; gives how many were left out."""
    settings = Settings(bootstrap_servers=bootstrap)
    frame = QueryFrame(pipeline_of(plan, LOG), settings, PARTITIONS, RECORDS_A_BATCH)
    query = frame.written(session, checkpoint).trigger(availableNow=True).start()
    query.awaitTermination()
    batches = [progress for progress in query.recentProgress if progress["numInputRows"]]
    assert len(batches) > 1
    return sum(progress_of(("q", 1), progress).dropped for progress in batches)


def _write(cluster: KafkaCluster, records: list[tuple[str, dict[str, Any] | None, int]]) -> None:
    producer = KafkaProducer(bootstrap_servers=cluster.bootstrap_servers)
    for key, value, time_ms in records:
        text = None if value is None else json.dumps(value).encode()
        producer.send("events", key=key.encode(), value=text, timestamp_ms=time_ms)
    producer.close(60)


def _read(cluster: KafkaCluster, topic: str) -> list[tuple[bytes | None, bytes, int]]:
    consumer = Consumer(
        {
            "bootstrap.servers": cluster.bootstrap_servers,
            "group.id": "native",
            "isolation.level": "read_committed",
            "enable.partition.eof": True,
        }
    )
    consumer.assign([TopicPartition(topic, 0, 0)])
    found: list[tuple[bytes | None, bytes, int]] = []
    while True:
        message = consumer.poll(30)
        assert message is not None, f"{topic} cannot be read"
        error = message.error()
        if error is not None:
            assert error.code() == KafkaError._PARTITION_EOF, error
            consumer.close()
            return found
        found.append((message.key(), message.value() or b"", message.timestamp()[1]))
