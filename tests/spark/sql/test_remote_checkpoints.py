"""Checkpoints at URLs, deleted through Spark's JVM: here of a directory, by its URL."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from riacho.pipelines.sql.runner.remote_checkpoints import delete_checkpoints

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_those_that_are_named_are_deleted_and_no_others(spark: SparkSession, tmp_path: Path) -> None:
    for name in ("CTAS_A_1-x", "CTAS_%60b%2Fc%60_2-y", "CTAS_C_3-z"):
        (tmp_path / name / "offsets").mkdir(parents=True)
        (tmp_path / name / "offsets" / "0").write_text("v1")
    warnings: list[str] = []
    names = ["CTAS_%60b%2Fc%60_2-y", "CTAS_C_3-z", "never there", "..", f"../{tmp_path.name}"]
    delete_checkpoints(spark, tmp_path.as_uri(), names, warnings.append)
    assert [each.name for each in tmp_path.iterdir()] == ["CTAS_A_1-x"]
    assert warnings == []


def test_a_location_that_cannot_be_listed_is_told(spark: SparkSession, tmp_path: Path) -> None:
    warnings: list[str] = []
    delete_checkpoints(spark, "nosuch://bucket/checkpoints", ["a"], warnings.append)
    (warning,) = warnings
    assert "location=nosuch://bucket/checkpoints count=1" in warning
    assert "nosuch" in warning.partition("reason=")[2]
