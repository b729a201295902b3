"""Batch reads through Spark: every option that says what is read, by our format and by Spark's own connector."""

from __future__ import annotations

import json
import time
import uuid
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from conformance.running_broker import RunningBroker
from spark.source.topics import create_topic, produce
from support.official_connector import missing

# Of late: records older than the retention may be deleted at any moment.
TIME_MS = (int(time.time()) - 3600) * 1000
COLUMNS = ("case", "topic", "partition", "offset", "timestamp", "timestampType", "key", "value", "headers")


def records(partitions: int, count: int) -> list[dict[str, Any]]:
    """A record a second, in turns; some without key, value or headers."""
    return [
        {
            "value": None if n % 7 == 0 else f"v{n}",
            "key": f"k{n}" if n % 3 else None,
            "partition": n % partitions,
            "timestamp": TIME_MS + 1000 * n,
            "headers": [("a", b"1"), ("b", None), ("a", b"\xff\x00")] if n % 2 else None,
        }
        for n in range(count)
    ]


def cases(first: str, second: str) -> dict[str, dict[str, str]]:
    """Options by the name of the case. `first` has two partitions of 15 records, `second` one of 10."""
    late = TIME_MS + 20_000
    at = {
        "from": {first: {"0": 3, "1": -2}},
        "to": {first: {"0": 9, "1": -1}},
        "time": {first: {"0": TIME_MS + 5000, "1": TIME_MS + 5001}},
    }
    return {
        "all of a topic": {"subscribe": first},
        "two topics": {"subscribe": f"{first},{second}"},
        "a pattern": {"subscribePattern": f"{first[:-1]}."},
        "one partition": {"assign": json.dumps({first: [1]})},
        "offsets": {
            "subscribe": first,
            "startingOffsets": json.dumps(at["from"]),
            "endingOffsets": json.dumps(at["to"]),
        },
        "from a time": {"subscribe": first, "startingTimestamp": str(late)},
        "to a time": {"subscribe": first, "endingTimestamp": str(late)},
        "times": {"subscribe": first, "startingOffsetsByTimestamp": json.dumps(at["time"])},
        "end times": {"subscribe": first, "endingOffsetsByTimestamp": json.dumps(at["time"])},
        "too late a time": {
            "subscribe": first,
            "startingTimestamp": str(TIME_MS * 2),
            "startingOffsetsByTimestampStrategy": "latest",
        },
        "many tasks": {"subscribe": first, "minPartitions": "7"},
        "small tasks": {"subscribe": first, "maxRecordsPerPartition": "4"},
        "committed": {"subscribe": second, "kafka.isolation.level": "read_committed"},
    }


def frame(spark: SparkSession, form: str, bootstrap: str, options: dict[str, str]) -> DataFrame:
    reader = spark.read.format(form).option("kafka.bootstrap.servers", bootstrap).option("includeHeaders", "true")
    return reader.options(**options).load()


def rows(spark: SparkSession, form: str, bootstrap: str, wanted: dict[str, dict[str, str]]) -> list[tuple[Any, ...]]:
    """All cases in one job."""
    whole: DataFrame | None = None
    for name, options in wanted.items():
        one = frame(spark, form, bootstrap, options).withColumn("case", F.lit(name)).select(*COLUMNS)
        whole = one if whole is None else whole.unionAll(one)
    assert whole is not None
    return sorted((tuple(row) for row in whole.collect()), key=lambda row: row[:4])


def test_options_choose_the_same_rows_as_with_sparks_own_connector(spark: SparkSession, broker: RunningBroker) -> None:
    stem = f"batch-{uuid.uuid4().hex[:10]}-"
    first, second = stem + "1", stem + "2"
    create_topic(broker.bootstrap, first, 2)
    create_topic(broker.bootstrap, second, 1)
    produce(broker.bootstrap, first, records(2, 30))
    produce(broker.bootstrap, second, records(1, 10), **{"compression.type": "zstd"})
    wanted = cases(first, second)
    ours = rows(spark, "riacho", broker.bootstrap, wanted)
    counts = {name: sum(row[0] == name for row in ours) for name in wanted}
    assert counts == {
        "all of a topic": 30,
        "two topics": 40,
        "a pattern": 40,
        "one partition": 15,
        "offsets": 21,
        "from a time": 10,
        "to a time": 20,
        "times": 24,
        "end times": 6,
        "too late a time": 0,
        "many tasks": 30,
        "small tasks": 30,
        "committed": 10,
    }
    plain = [row for row in ours if row[0] == "all of a topic" and row[2] == 1]
    assert [row[3] for row in plain] == list(range(15))
    assert plain[0][4].timestamp() * 1000 == TIME_MS + 1000
    assert plain[0][6:8] == (b"k1", b"v1")
    assert [tuple(header) for header in plain[0][8]] == [("a", b"1"), ("b", None), ("a", b"\xff\x00")]
    assert plain[3][7] is None, "a tombstone stays null"
    reason = missing()
    if reason is not None:
        pytest.skip(f"ours is as it should be, but was not compared with the official connector: {reason}")
    assert ours == rows(spark, "kafka", broker.bootstrap, wanted)
    schemas = [frame(spark, form, broker.bootstrap, wanted["two topics"]).schema for form in ("riacho", "kafka")]
    assert schemas[0] == schemas[1]


def test_a_topic_that_is_missing_is_told_in_one_sentence(spark: SparkSession, broker: RunningBroker) -> None:
    absent = frame(spark, "riacho", broker.bootstrap, {"subscribe": "not-there"})
    with pytest.raises(Exception, match=r"SourceError: Topic 'not-there' does not exist on this cluster\."):
        absent.collect()


def test_nothing_to_read_is_no_rows(spark: SparkSession, broker: RunningBroker) -> None:
    name = f"batch-{uuid.uuid4().hex[:10]}"
    create_topic(broker.bootstrap, name, 1)
    assert frame(spark, "riacho", broker.bootstrap, {"subscribe": name}).collect() == []
