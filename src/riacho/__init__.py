"""Riacho: event streaming in Python, on Kafka's wire."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__version__ = "0.1.0"
# The release of Apache Kafka whose protocol and behaviour we match.
KAFKA_VERSION = "4.3.1"


def spark(
    app_name: str,
    master: str | None = None,
    bootstrap: str | None = None,
    conf: Mapping[str, object] | None = None,
    **settings: object,
) -> SparkSession:
    """A Spark session with the format `riacho`; see riacho.pipelines.spark.session. Spark is imported only here."""
    from riacho.pipelines.spark.session import spark as session

    return session(app_name, master, bootstrap, conf, **settings)


def read_format(session: SparkSession) -> str:
    """The format to read topics by: `riacho`, or `kafka` where `spark.riacho.reader` is `official`."""
    from riacho.pipelines.spark.read_format import read_format as chosen

    return chosen(session)
