"""One micro-batch of a source connector: its rows through the transforms and converters to their topics, once.

Spark calls it with each batch, on Spark Connect in a process of the server's: so it is made of plain values, and holds
nothing that cannot be pickled.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame

from riacho.pipelines import records
from riacho.pipelines.connect.runner.batch_statistics import batch_statistics
from riacho.pipelines.connect.runner.micro_batch import MicroBatch, cached
from riacho.pipelines.connect.runner.reports import Report
from riacho.pipelines.connect.runner.retries import retried
from riacho.pipelines.plugin import SourceConnector

WRITTEN = (records.KEY, records.VALUE, records.TOPIC, records.PARTITION, records.HEADERS, records.TIMESTAMP)


@dataclass(slots=True)
class SourceBatch(MicroBatch[SourceConnector]):
    def process(self, batch: DataFrame, batch_id: int) -> None:
        with cached(batch, self._looks_first) as looked_at:
            shaped = records.as_records(self.connector.shape(looked_at))
            with cached(self.steps.apply(shaped)) as encoded:
                self._deliver(encoded, batch_id)

    @property
    def _looks_first(self) -> bool:
        """Whether a step may run jobs of its own on the batch, to see what is in it."""
        has_shape = type(self.connector).shape is not SourceConnector.shape
        return has_shape or self.steps.has_transforms

    def _deliver(self, encoded: DataFrame, batch_id: int) -> None:
        found = batch_statistics(encoded)
        log: list[str] = []
        good = encoded
        if found.bad:
            self.check_tolerated(encoded)
            log = self.log_lines(encoded)
            good = encoded.where(records.is_good())
        if found.rows > found.bad:
            retried(lambda: self.topics.ensure(found.topics), self.policy)
            retried(lambda: self._write(good, batch_id), self.policy)
        self.reports.add(Report(batch_id, found.rows, bad=found.bad, topics=found.topics, log=log))

    def _write(self, good: DataFrame, batch_id: int) -> None:
        options = {**self.writer_options, "riacho.batch.id": str(batch_id)}
        good.select(*WRITTEN).write.format("riacho").options(**options).mode("append").save()
