"""How a batch function ends: with a report in any case, since what it raises reaches the supervisor only as text, and
with nothing left in Spark's cache."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.sql import DataFrame

from riacho.pipelines.connect.runner.reports import Report, Reports
from riacho.pipelines.plugin import ConnectError
from riacho.pipelines.spark.failures import failure


@contextmanager
def kept(frame: DataFrame, is_needed: bool = True) -> Iterator[DataFrame]:
    """The frame, cached for as long as several jobs read it."""
    if not is_needed:
        yield frame
        return
    cached = frame.persist()
    try:
        yield cached
    finally:
        cached.unpersist()


@contextmanager
def reported(reports: Reports, batch_id: int, secrets: tuple[str, ...]) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        found = failure(error, secrets)
        reports.add(Report(batch_id, failure=found.trace))
        raise ConnectError(found.sentence) from None
