"""One micro-batch of a sink connector: records decoded and transformed, the bad split off, the good put, each once.

The batch is cached only where something may be wrong with it: then one look tells how many are bad, before anything is
delivered, and with none there is no further job than the sink's own. Letters are written before the good records; a
batch that is run again after a failure writes none twice, since they go through the exactly-once writer under an id of
their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from riacho.pipelines import records
from riacho.pipelines.connect.runner.batch_statistics import batch_statistics
from riacho.pipelines.connect.runner.micro_batch import MicroBatch, cached
from riacho.pipelines.connect.runner.reports import Report
from riacho.pipelines.connect.runner.retries import retried
from riacho.pipelines.errors.dead_letters import Origin, dead_letters, with_origin, without_origin
from riacho.pipelines.plugin import ConnectError, Rejected, SinkConnector
from riacho.pipelines.reach.validation import own_refusals

# What else a system may refuse in one batch is a matter of the whole batch, not of single records.
_REJECTED_MAX = 10_000
_PUT_EXCEPTION = "org.apache.kafka.connect.errors.ConnectException"


@dataclass(slots=True)
class SinkBatch(MicroBatch[SinkConnector]):
    def process(self, batch: DataFrame, batch_id: int) -> None:
        raw = records.as_records(
            batch.withColumn(records.RAW_KEY, F.col("key")).withColumn(records.RAW_VALUE, F.col("value"))
        )
        if not self.steps.can_fail_decoding:
            decoded = self.steps.apply(with_origin(raw))
            self._put(decoded, decoded, batch_id, Report(batch_id))
            return
        # Converters look at the batch before they decode it (which schemas, which fields): so both are kept.
        with cached(with_origin(raw)) as looked_at, cached(self.steps.apply(looked_at)) as decoded:
            self._split(decoded, batch_id)

    def _split(self, decoded: DataFrame, batch_id: int) -> None:
        found = batch_statistics(decoded)
        report = Report(batch_id, found.rows)
        if found.bad:
            bad = decoded.where(F.col(records.ERROR).isNotNull())
            letters = self._apply_policy(bad, found.bad, batch_id, ".letters")
            report = Report(batch_id, found.rows, bad=found.bad, dead_letters=letters, log=self.log_lines(bad))
        good = decoded.where(records.is_good()) if found.bad else decoded
        if found.rows > found.bad:
            self._put(good, decoded, batch_id, report)
        else:
            self.reports.add(report)

    def _put(self, good: DataFrame, decoded: DataFrame, batch_id: int, report: Report) -> None:
        refused = own_refusals(self.connector)
        if refused:
            raise ConnectError(" ".join(refused))
        delivered = without_origin(good)
        rejected = retried(lambda: self.connector.put(delivered, batch_id), self.policy) or ()
        if rejected:
            report = self._refused(decoded, rejected, report)
        self.reports.add(report)

    def _refused(self, decoded: DataFrame, rejected: Sequence[Rejected], report: Report) -> Report:
        bad = _as_errors(decoded, rejected[:_REJECTED_MAX], self.connector.CLASS)
        letters = self._apply_policy(bad, len(rejected), report.batch_id, ".refused")
        log = (*report.log, *self.log_lines(bad))
        bad_count, letter_count = report.bad + len(rejected), report.dead_letters + letters
        return Report(report.batch_id, report.rows, bad_count, letter_count, log=log)

    def _apply_policy(self, bad: DataFrame, count: int, batch_id: int, suffix: str) -> int:
        """How many letters were written; BadRecord where none is tolerated."""
        self.check_tolerated(bad)
        topic = self.policy.dead_letter_topic
        if topic is None:
            return 0
        letters = dead_letters(bad, topic, Origin(self.name), self.policy.dead_letter_headers)
        options = {**self.writer_options, "riacho.batch.id": str(batch_id)}
        options["riacho.sink.id"] += suffix
        retried(
            lambda: self.topics.ensure_dead_letter_topic(topic, self.policy.dead_letter_replication_factor), self.policy
        )
        retried(lambda: letters.write.format("riacho").options(**options).mode("append").save(), self.policy)
        return count


def _as_errors(decoded: DataFrame, rejected: Sequence[Rejected], class_name: str) -> DataFrame:
    """The rows of the refused records, with what was said of each."""
    messages = {(each.topic, each.partition, each.offset): each.message for each in rejected}
    pairs: list[Column] = []
    for (topic, partition, offset), message in messages.items():
        pairs += [F.lit(f"{topic}/{partition}/{offset}"), F.lit(message)]
    place = F.concat_ws("/", records.came_from(decoded), F.col(records.PARTITION), F.col(records.OFFSET))
    # A map in the plan grows with what is refused; in slices it stays a size that Spark can compile.
    size = 1_000
    slices = [pairs[at : at + size] for at in range(0, len(pairs), size)]
    refusal = reduce(lambda so_far, each: F.coalesce(so_far, F.create_map(*each)[place]), slices, F.lit(None))
    refused = decoded.withColumn("refused", refusal.cast("string")).where(F.col("refused").isNotNull())
    return records.fail_where(
        refused,
        F.lit(True),
        stage=records.STAGE_TASK_PUT,
        class_name=class_name,
        message=F.col("refused"),
        exception=_PUT_EXCEPTION,
    ).drop("refused")
