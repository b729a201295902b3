"""Delta without its jars, and with those of another Spark: one sentence, from both connectors that write it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from riacho.pipelines.connectors.delta_jars import delta_error
from riacho.pipelines.connectors.directory.sink import DirectorySink
from riacho.pipelines.connectors.spark.sink import SparkSink
from riacho.pipelines.plugin import ConnectError, Context, SinkConnector

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def _connector(kind: type[SinkConnector], directory: Path, configs: dict[str, str]) -> SinkConnector:
    context = Context("sales", configs, "127.0.0.1:1", scratch=str(directory / "scratch"))
    return kind(kind.CONFIG.parse(configs), context)


def test_without_its_jars(spark: SparkSession, tmp_path: Path) -> None:
    batch = spark.createDataFrame([("orders", (1, "a"))], "topic string, value struct<id: int, name: string>")
    sinks = [
        _connector(DirectorySink, tmp_path, {"directory": str(tmp_path / "table"), "format": "delta"}),
        _connector(SparkSink, tmp_path, {"spark.format": "delta", "spark.option.path": str(tmp_path / "table")}),
    ]
    for sink in sinks:
        with pytest.raises(ConnectError, match=r"^Spark has no format delta: name Delta's jars for it .*parquet\.$"):
            sink.put(batch, 0)


def test_what_its_jars_may_say() -> None:
    other = "Py4JJavaError: java.lang.NoSuchMethodError: 'void org.apache.spark.sql.execution.LogicalRDD.<init>(...)'"
    told = delta_error(other, "4.3.0") or ""
    assert told.startswith("Delta's jars do not fit Spark 4.3.0: they were made for another version of it;")
    told = delta_error("[DELTA_CONFIGURE_SPARK_SESSION_WITH_EXTENSION_AND_CATALOG] This", "4.3.0") or ""
    assert told.startswith("Delta needs spark.sql.extensions=io.delta.")
    assert delta_error("AnalysisException: [DELTA_FAILED_TO_MERGE_FIELDS] a and b", "4.3.0") is None
