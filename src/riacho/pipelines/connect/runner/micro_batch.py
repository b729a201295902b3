"""What Spark calls with each micro-batch of a connector.

It ends with a report in any case, since what it raises reaches the supervisor only as text, and with nothing left in
Spark's cache.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, TypeVar

from pyspark.sql import DataFrame

from riacho.pipelines.connect.runner.batch_statistics import LOG_LINES_MAX, BadRecord, bad_records
from riacho.pipelines.connect.runner.reports import Report, Reports
from riacho.pipelines.connect.runner.steps import Steps
from riacho.pipelines.connect.runner.topic_creation import TopicCreation
from riacho.pipelines.errors.policy import ErrorPolicy
from riacho.pipelines.plugin import ConnectError, Connector
from riacho.pipelines.spark.failures import failure

C = TypeVar("C", bound=Connector)


@dataclass(slots=True)
class MicroBatch(ABC, Generic[C]):
    connector: C
    steps: Steps
    policy: ErrorPolicy
    # Of what is written to topics: records of sources, dead letters of sinks.
    writer_options: Mapping[str, str]
    topics: TopicCreation
    reports: Reports
    secrets: tuple[str, ...] = ()

    def __call__(self, batch: DataFrame, batch_id: int) -> None:
        with reported(self.reports, batch_id, self.secrets):
            self.process(batch, batch_id)

    @abstractmethod
    def process(self, batch: DataFrame, batch_id: int) -> None: ...

    @property
    def name(self) -> str:
        return self.connector.context.name

    def check_tolerated(self, bad: DataFrame) -> None:
        """BadRecord where the first bad one is the end."""
        if not self.policy.tolerate:
            raise BadRecord(bad_records(bad, 1)[0].sentence)

    def log_lines(self, bad: DataFrame) -> list[str]:
        if not self.policy.log:
            return []
        return [each.log_line(self.name, self.policy.log_messages) for each in bad_records(bad, LOG_LINES_MAX)]


@contextmanager
def cached(frame: DataFrame, is_needed: bool = True) -> Iterator[DataFrame]:
    """The frame, cached for as long as several jobs read it."""
    if not is_needed:
        yield frame
        return
    held = frame.persist()
    try:
        yield held
    finally:
        held.unpersist()


@contextmanager
def reported(reports: Reports, batch_id: int, secrets: tuple[str, ...]) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        found = failure(error, secrets)
        reports.add(Report(batch_id, failure=found.trace))
        raise ConnectError(found.sentence) from None
