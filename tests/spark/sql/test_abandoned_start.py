"""A query with state whose runner was killed while Spark wrote the offsets of the first micro-batch."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from riacho.pipelines.sql.runner.abandoned_start import clear_abandoned_start

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LEFT = (".0.f6b3b168-4075-4603-9bf2-de854819bc57.tmp", "..0.f6b3b168-4075-4603-9bf2-de854819bc57.tmp.crc")


def _count(spark: SparkSession, source: Path, checkpoint: Path, name: str) -> int:
    """Lines of `source` that the query has seen so far."""
    lines = spark.readStream.text(str(source)).groupBy().count()
    query = (
        lines.writeStream.format("memory")
        .queryName(name)
        .outputMode("complete")
        .option("checkpointLocation", str(checkpoint))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return int(spark.table(name).collect()[0]["count"])


@pytest.fixture
def source(tmp_path: Path) -> Path:
    made = tmp_path / "source"
    made.mkdir()
    (made / "a.txt").write_text("1\n2\n3\n")
    return made


@pytest.mark.parametrize("form", ["{}", "file://{}"])
def test_it_starts_as_if_for_the_first_time(spark: SparkSession, source: Path, tmp_path: Path, form: str) -> None:
    checkpoint = tmp_path / "checkpoint"
    (checkpoint / "offsets").mkdir(parents=True)
    for name in _LEFT:
        (checkpoint / "offsets" / name).touch()
    with pytest.raises(Exception, match="CHECKPOINT_LOCATION_NOT_EMPTY"):
        _count(spark, source, checkpoint, "refused")
    clear_abandoned_start(spark, form.format(checkpoint))
    assert _count(spark, source, checkpoint, f"begun_{'remote' if '//' in form else 'local'}") == 3


def test_a_query_that_has_begun_is_left_alone(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint"
    assert _count(spark, source, checkpoint, "first") == 3
    left = checkpoint / "offsets" / _LEFT[0]
    left.touch()
    before = sorted((checkpoint / "offsets").iterdir())
    for form in ("{}", "file://{}"):
        clear_abandoned_start(spark, form.format(checkpoint))
    assert sorted((checkpoint / "offsets").iterdir()) == before


def test_one_that_was_never_started(spark: SparkSession, tmp_path: Path) -> None:
    for form in ("{}", "file://{}"):
        clear_abandoned_start(spark, form.format(tmp_path / "checkpoint"))
    assert not (tmp_path / "checkpoint").exists()
