"""from_avro and its kin in users' queries: streaming with a schema that grows meanwhile, and the way back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import functions as F

from riacho.pipelines.formats import functions as formats
from riacho.pipelines.formats.registry_client import registry_client
from spark.formats.record_frames import frame
from spark.formats.test_avro import V1, V2, V3, payload

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_a_running_query_follows_schemas_that_come_later(spark: SparkSession, registry: str, tmp_path: Path) -> None:
    client = registry_client({"schema.registry.url": registry})
    one, two = (client.registered("grown-value", "AVRO", text) for text in (V1, V2))
    arriving = tmp_path / "arriving"
    _arrive(spark, arriving, [payload(one, {"a": 1, "gone": "x"}), payload(two, {"a": 2, "b": "y"}), None])
    stream = spark.readStream.schema("value binary").parquet(str(arriving))
    events = stream.select(formats.from_avro("value", registry=registry, subject="grown-value").alias("event"))
    query = events.writeStream.format("memory").queryName("grown").start()
    try:
        query.processAllAvailable()
        three = client.registered("grown-value", "AVRO", V3)
        _arrive(spark, arriving, [payload(three, {"a": 3, "b": "z", "c": 0.5})])
        query.processAllAvailable()
    finally:
        query.stop()
    found = spark.sql("SELECT event.* FROM grown ORDER BY a NULLS LAST").collect()
    assert [tuple(row) for row in found] == [(1, "new"), (2, "y"), (3, "z"), (None, None)]


def _arrive(spark: SparkSession, directory: Path, payloads: list[bytes | None]) -> None:
    frame(spark, payloads).select("value").write.mode("append").parquet(str(directory))


PROTO = 'syntax = "proto3"; message P { int64 a = 1; string b = 2; message Q { bool c = 1; } }'
JSON = '{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}}}'


def test_there_and_back(spark: SparkSession, registry: str) -> None:
    rows = spark.range(3).select(F.struct(F.col("id").alias("a"), F.col("id").cast("string").alias("b")).alias("v"))
    at: dict[str, Any] = {"registry": registry}
    there = rows.select(
        "v",
        formats.to_avro("v", subject="f-avro", schema=V2, **at).alias("avro"),
        formats.to_protobuf("v", subject="f-protobuf", schema=PROTO, **at).alias("protobuf"),
        formats.to_json_schema("v", subject="f-json", schema=JSON, **at).alias("json"),
    ).localCheckpoint()
    back = there.select(
        "v",
        formats.from_avro("avro", subject="f-avro", **at).alias("avro"),
        formats.from_protobuf("protobuf", subject="f-protobuf", **at).alias("protobuf"),
        formats.from_json_schema("json", subject="f-json", **at).alias("json"),
    )
    assert all(row.avro == row.protobuf == row.json == row.v for row in back.collect())
    mixed = spark.createDataFrame([(bytearray(b"no"),), (None,)], "value binary").coalesce(1)
    lenient = formats.from_avro("value", schema=V2, options={"mode": "PERMISSIVE"}, **at)
    assert [row[0] for row in mixed.select(lenient).collect()] == [None, None]
    with pytest.raises(PySparkException, match="Unknown magic byte!"):
        mixed.select(formats.from_avro("value", schema=V2, **at)).collect()


TIMED = """{"type":"object","properties":{"a":{"type":"integer"},"at":{"type":"integer","connect.type":"int64",
"title":"org.apache.kafka.connect.data.Timestamp","connect.version":1}},"required":["a"]}"""


def test_a_text_is_parsed_once(spark: SparkSession, registry: str) -> None:
    """However often its parts are looked at: expressions within expressions would multiply it."""
    rows = frame(spark, [bytes(5) + b'{"a":1,"at":86400000}', bytes(5) + b'{"at":1}'])
    event = formats.from_json_schema("value", registry=registry, schema=TIMED, options={"mode": "PERMISSIVE"})
    read = rows.select(event.alias("event"))
    for each in (read, rows.select(F.when(F.length("value") > 5, event).alias("event"))):
        plan = each._jdf.queryExecution().optimizedPlan().toString()  # type: ignore[operator]
        assert (plan.count("from_json("), plan.count("transform(")) == (1, 1)
    assert [row.event and (row.event.a, row.event.at.day) for row in read.collect()] == [(1, 2), None]
