"""Record frames out of Python values, and what became of them, for the tests of formats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from riacho.pipelines.records import as_records


def frame(spark: SparkSession, payloads: Sequence[bytes | None], topic: str = "t") -> DataFrame:
    """One record a payload, in one Spark partition, so that order can be seen."""
    rows = [(topic, None if payload is None else bytearray(payload)) for payload in payloads]
    return as_records(spark.createDataFrame(rows, "topic string, value binary").coalesce(1))


def typed(spark: SparkSession, kind: str, values: Sequence[Any], topic: str = "t") -> DataFrame:
    rows = [(topic, value) for value in values]
    return as_records(spark.createDataFrame(rows, f"topic string, value {kind}").coalesce(1))


def outcome(batch: DataFrame) -> tuple[list[Any], list[str | None]]:
    """Values (structs as dicts) and messages of errors, row by row."""
    rows = batch.select("value", "error").collect()
    return [_plain(row["value"]) for row in rows], [row["error"] and row["error"]["message"] for row in rows]


def _plain(value: Any) -> Any:
    if hasattr(value, "asDict"):
        return {key: _plain(each) for key, each in value.asDict().items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return bytes(value) if isinstance(value, bytearray) else value
