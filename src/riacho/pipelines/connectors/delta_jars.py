"""What is wrong with Delta, where something is: its jars are no part of Spark, and must have been made for this one.

    spark.jars=delta-spark_2.13-....jar,delta-storage-....jar, ...
    spark.sql.extensions=io.delta.sql.DeltaSparkSessionExtension
    spark.sql.catalog.spark_catalog=org.apache.spark.sql.delta.catalog.DeltaCatalog

Jars that were made for another Spark may write the first batch of a table and fail with the second, since only then
they read the table's log: in the words of the JVM, which nobody understands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from riacho.pipelines.plugin import ConnectError
from riacho.pipelines.spark.failures import failure

FORMAT = "delta"
_SETTINGS = (
    "spark.sql.extensions=io.delta.sql.DeltaSparkSessionExtension and "
    "spark.sql.catalog.spark_catalog=org.apache.spark.sql.delta.catalog.DeltaCatalog"
)
_OTHER_SPARK = re.compile(
    r"\b(NoSuchMethod|NoSuchField|NoClassDefFound|AbstractMethod|IncompatibleClassChange)Error\b"
    r"|\bClassNotFoundException\b"
)


@contextmanager
def delta_errors(spark_version: str) -> Iterator[None]:
    """ConnectError in one sentence where Delta cannot be had or does not fit; other failures pass."""
    try:
        yield
    except Exception as error:
        refusal = delta_error(failure(error).detail, spark_version)
        if refusal is None:
            raise
        raise ConnectError(refusal) from None


def delta_error(detail: str, spark_version: str) -> str | None:
    if "DATA_SOURCE_NOT_FOUND" in detail:
        return (
            "Spark has no format delta: name Delta's jars for it in spark.jars of the worker's settings, with "
            f"{_SETTINGS}, or use the format parquet."
        )
    if "DELTA_CONFIGURE_SPARK_SESSION" in detail:
        return f"Delta needs {_SETTINGS} in the worker's settings."
    if _OTHER_SPARK.search(detail):
        return (
            f"Delta's jars do not fit Spark {spark_version}: they were made for another version of it; use jars that "
            "were made for this one, or the format parquet."
        )
    return None
