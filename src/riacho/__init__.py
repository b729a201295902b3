"""Riacho: event streaming in Python, on Kafka's wire.

`riacho` itself has what Spark programs begin with; `riacho.functions` has columns with schemas, `riacho.connect` what
connectors are made of, `riacho.testing` brokers for tests. Everything else is internal and may change: see
docs/reference/python-api.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["KAFKA_VERSION", "__version__", "read_format", "register_format", "spark", "write_to"]

__version__ = "0.1.0"
"""The release of Riacho that is installed."""
KAFKA_VERSION = "4.3.1"
"""The release of Apache Kafka whose protocol and behaviour Riacho matches."""

# Spark is imported by those functions only that need it: brokers are started by many who have none.


def spark(
    app_name: str,
    master: str | None = None,
    bootstrap: str | None = None,
    conf: Mapping[str, object] | None = None,
    **settings: object,
) -> SparkSession:
    """Return this process's Spark session, with the format `riacho`; the first call makes it.

    `bootstrap` is the `kafka.bootstrap.servers` of reads and writes that name none. `master` is else
    `$RIACHO_SPARK_MASTER`, else `local[*]`. Spark's settings go into `conf`, or are keywords with underscores for dots.
    It raises ConfigError where there is no Java.
    """
    from riacho.pipelines.spark.session import spark as session

    return session(app_name, master, bootstrap, conf, **settings)


def register_format(session: SparkSession, bootstrap: str | None = None) -> None:
    """Make the format `riacho` known in a session that `riacho.spark` did not make.

    `session.newSession()` gives such a session, and so does a notebook that brings its own.
    """
    from riacho.pipelines.spark.session import register

    register(session, bootstrap)


def read_format(session: SparkSession) -> str:
    """Return the format to read topics by: `riacho`, or `kafka` where `spark.riacho.reader` is `official`."""
    from riacho.pipelines.spark.read_format import read_format as chosen

    return chosen(session)


def write_to(
    *, topic: str | None = None, sink_id: str, delivery: str = "exactly-once", **options: str
) -> Callable[[DataFrame, int], None]:
    """Return the function that `foreachBatch` calls to write each micro-batch to a topic.

    `sink_id` tells this write from others of the same query, and must not change. `delivery` is `exactly-once` or
    `at-least-once`. `options` are those of the format, with underscores for dots.
    """
    from riacho.pipelines.sink.each_batch import write_to as written

    return written(topic=topic, sink_id=sink_id, delivery=delivery, **options)
