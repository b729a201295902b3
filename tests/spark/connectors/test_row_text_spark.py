"""Values as text, for sinks that write lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.pipelines.connectors.row_text import as_text

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_bytes_that_are_no_utf8_are_written_with_the_sign_for_that(spark: SparkSession) -> None:
    values = [b"whole", b"\xff", b"caf\xc3\xa9", b"half \xc3", None, b""]
    batch = spark.createDataFrame([(None if value is None else bytearray(value),) for value in values], "value binary")
    found = [row[0] for row in batch.select(as_text(batch, "value")).collect()]
    assert found == ["whole", "\ufffd", "caf\u00e9", "half \ufffd", "null", ""]
