"""Dead letters: bad records as rows for the dead letter topic, with Kafka's `__connect.errors.*` headers.

A letter has the key and value bytes and the headers that the record had when it was consumed, whatever the steps
before the failure made of them; with `errors.deadletterqueue.context.headers.enable` it also says where it came from
and what went wrong. `CONTEXT` has the headers in the order in which Kafka writes them; their values are text in UTF-8.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from riacho.pipelines import records

PREFIX = "__connect.errors."
# What a record's headers were before the transforms; beside records.COLUMNS, and only where letters are kept.
RAW_HEADERS = "raw_headers"


@dataclass(frozen=True, slots=True)
class Origin:
    """Who fails: the connector, and the task number that stands for it."""

    connector: str
    task: int = 0


def _error(field: str) -> Callable[[Origin], Column]:
    return lambda _: F.col(records.ERROR)[field]


CONTEXT: tuple[tuple[str, Callable[[Origin], Column]], ...] = (
    ("topic", lambda _: F.col(records.RAW_TOPIC)),
    ("partition", lambda _: F.col(records.PARTITION)),
    ("offset", lambda _: F.col(records.OFFSET)),
    ("connector.name", lambda origin: F.lit(origin.connector)),
    ("task.id", lambda origin: F.lit(origin.task)),
    ("stage", _error("stage")),
    ("class.name", _error("class_name")),
    ("exception.class.name", _error("exception")),
    ("exception.message", _error("message")),
    (
        "exception.stacktrace",
        lambda _: F.concat(F.col(records.ERROR)["exception"], F.lit(": "), F.col(records.ERROR)["message"]),
    ),
)


def with_origin(batch: DataFrame) -> DataFrame:
    """Keep what the letters need and transforms may change. Before the first step."""
    return batch.withColumn(records.RAW_TOPIC, F.col(records.TOPIC)).withColumn(RAW_HEADERS, F.col(records.HEADERS))


def without_origin(batch: DataFrame) -> DataFrame:
    """For a sink, which gets where a record came from and nothing else of this."""
    return batch.drop(RAW_HEADERS)


def dead_letters(bad: DataFrame, topic: str, origin: Origin, context_headers: bool) -> DataFrame:
    """Rows for the format `riacho`: one letter for each bad record, in their order."""
    kept = bad
    for name, column in ((records.RAW_TOPIC, records.TOPIC), (RAW_HEADERS, records.HEADERS)):
        if name not in bad.columns:
            kept = kept.withColumn(name, F.col(column))
    headers = F.col(RAW_HEADERS)
    if context_headers:
        added = [_header(PREFIX + name, column(origin)) for name, column in CONTEXT]
        headers = F.concat(headers, F.array(*added).cast(records.HEADERS_TYPE))
    # One task writes them all: what is wrong in a batch is little, and its order is kept.
    return kept.coalesce(1).select(
        F.lit(topic).alias("topic"),
        F.col(records.RAW_KEY).alias("key"),
        F.col(records.RAW_VALUE).alias("value"),
        headers.alias("headers"),
    )


def _header(name: str, value: Column) -> Column:
    return F.struct(F.lit(name).alias("key"), F.encode(value.cast("string"), "UTF-8").alias("value"))
