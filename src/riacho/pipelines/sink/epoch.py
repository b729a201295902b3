"""Exactly once: how an epoch's tasks, each with a transaction of its own, come to count once and all.

    task i    InitProducerId for (query, sink, i): fences every earlier attempt at it and settles what that had open
              reads the markers: where one stands for this epoch or a later one, the rows are passed over
              writes the rows and its marker into the transaction, and leaves it open
    driver    InitProducerId for (query, sink, driver): fences every other driver
              reads the markers; writes "this epoch has N tasks with so many rows", in a transaction of its own
              commits the transactions of the tasks, one by one

A task cannot know how many tasks there are, and that number decides whether markers of an earlier run can be matched:
hence the driver ends the transactions, which anyone can who knows producer id and epoch. Nothing of an epoch is
visible before all of its tasks are done, and an epoch that fails leaves nothing behind to be read.

What may go wrong, and what comes of it:

a task fails and is run again
    the second attempt fences the first and aborts what it wrote.
two attempts at a task at the same time (speculation)
    the one that began last has the transaction; the other one's writes are refused. If Spark takes the result of the
    fenced one, its commit is refused, and the epoch is run again.
the driver is killed before it commits, or between two commits
    the next one gets the same epoch from the checkpoint. Tasks that were committed find their marker; what the others
    had open is aborted when they begin, and they write again.
the driver is killed after all commits, before Spark notes the epoch as done
    all tasks find their markers, and nothing is written.
a zombie: a task, executor or driver that stood still and wakes when others have taken over
    the task's writes are refused, since its successor began with the same id. The driver's commits likewise; tasks
    that have no successor, because the epoch now has fewer or they have no rows now, are fenced by whichever driver
    comes to its commit later (see below).
two drivers on the same checkpoint
    each fences the other's tasks and one of them fails. Both have the same rows for an epoch (Spark's offset log is
    written once), so whichever commits a task commits the same.
a broker is killed while a transaction ends
    the request is repeated, which is harmless; if no answer comes in time the epoch fails with its outcome unknown. The
    next run's InitProducerId waits until the coordinator has settled it, and the marker says how.
the rows are cut in another way between two runs of an epoch
    the note says into how many tasks, and how many rows each had. The tasks that have no rows now are fenced; if any
    marker of this epoch stands then, its rows may now be in other tasks, and the epoch is refused in one sentence,
    unless all its markers do: then it was written as a whole, and what the new tasks wrote is aborted. If none stands,
    the epoch is written as it is now cut.
the epoch has other rows than it had
    Spark never does that, but whoever removes a damaged file from a checkpoint makes it: the number is given again, to
    more rows. Passing those over would lose them, so the epoch is refused. The note has the number of rows and, where
    the checkpoint can be read from here, a digest of the offsets. Sources that cannot repeat the rows of their offsets
    say so (riacho.replay=any); what was committed stays then.
the checkpoint is an older copy
    its next epochs may have the numbers of others that were written: refused as well.
tasks without rows
    have no transaction and no marker; an epoch without rows has no note.
an epoch takes longer than kafka.transaction.timeout.ms
    the coordinator aborts the transaction, its commit is refused and the epoch fails, saying so. Tasks that finish
    early have to wait for the last, so this is about the whole epoch. The default is the most that brokers allow.
a query stands still for long: transactional ids expire (after a week), and with them producer ids and epochs
    InitProducerId starts from a new producer id. Markers are records of a compacted topic and do not expire.
a producer's epochs run out
    the coordinator gives it a new producer id; Kafka sees to that.
the checkpoint is deleted
    the query begins anew with a new query id, hence new ids and markers, and writes everything again, as asked.
the marker topic is deleted
    an epoch that was committed but not noted by Spark would be written again: only that one. Deleting it by hand while
    the query is down is the one way to lose the guarantee.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from pyspark.sql.datasource import WriterCommitMessage

from riacho.pipelines.sink.encoded_batch import Batch
from riacho.pipelines.sink.errors import SinkError
from riacho.pipelines.sink.marker_topic import marker_partition
from riacho.pipelines.sink.markers import EpochDecision, Markers, decision_marker, marker_batch
from riacho.pipelines.sink.options import ANY_ROWS, REPLAY, SinkOptions
from riacho.pipelines.sink.process_clients import Clients, clients
from riacho.pipelines.sink.sender import Sender
from riacho.pipelines.sink.task_written import EMPTY, TaskRun, TaskWritten
from riacho.pipelines.sink.transaction import abort_quietly, add_partitions, begin, end

_DRIVER = "driver"
# Where the checkpoint is. Of a stream's own sink the first is Spark's; a write from foreachBatch may be told by the
# second.
_LOCATIONS = ("checkpointlocation", "riacho.checkpoint")
_FILE_SCHEMES = ("file://", "file:")


def commit_epoch(options: SinkOptions, messages: Sequence[WriterCommitMessage | None]) -> None:
    """SinkError or Fenced when the epoch has to be run again, or never can be."""
    written = [message for message in messages if isinstance(message, TaskWritten) and message.run is not None]
    if all(message.outcome == EMPTY for message in written):
        return
    run = written[0].run
    assert run is not None
    kept = clients(options)
    log = kept.marker_log(run.name)
    driver = begin(kept.cluster, run.name.transactional_id(_DRIVER), options.transaction_timeout_ms)
    markers = log.read(kept.cluster)
    opened = [message.transaction for message in written if message.transaction is not None]
    offsets = _offsets_digest(dict(options.properties), run.epoch)
    decision = EpochDecision.of(run.epoch, [message.rows for message in written], offsets)
    if markers.decision.epoch > run.epoch:
        raise SinkError(
            f"Epoch {run.epoch} of query {run.name.query_id} comes after epoch {markers.decision.epoch}: "
            "another driver is at work on the same checkpoint, or it is an older copy."
        )
    if markers.decision.epoch == run.epoch and not decision.repeats(markers.decision):
        markers = _fence_others(options, kept, written, markers)
        if not _may_differ(options, decision, markers.decision):
            if markers.is_complete(run.epoch):
                _check_rows(options, run, decision, markers.decision)
                abort_epoch(options, messages)
                return
            _check_unwritten(run, decision, markers)
    if not opened:
        return
    if markers.decision != decision:
        topic_partition = marker_partition(run.name)
        add_partitions(kept.cluster, driver, [topic_partition])
        record = decision_marker(run.name, decision)
        data = marker_batch(record, driver.producer_id, driver.producer_epoch, int(time.time() * 1000))
        kept.begin_task()
        sender = Sender(kept.sending_leaders, options, driver.transactional_id)
        try:
            sender.send({topic_partition: Batch(topic_partition, data, 1)})
            sender.flush()
        finally:
            sender.close()
        end(kept.cluster, driver, is_commit=True)
    for transaction in opened:
        end(kept.cluster, transaction, is_commit=True)


def abort_epoch(options: SinkOptions, messages: Sequence[WriterCommitMessage | None]) -> None:
    """So that readers need not wait for what will not come; those that were committed stay so."""
    for message in messages:
        if isinstance(message, TaskWritten) and message.transaction is not None:
            abort_quietly(clients(options).cluster, message.transaction)


def _fence_others(options: SinkOptions, kept: Clients, written: Sequence[TaskWritten], markers: Markers) -> Markers:
    """The markers, when no task of another run can write or be committed any more. Those with rows have seen to it."""
    runs = {message.run.task: message for message in written if message.run is not None}
    [name] = {message.run.name for message in written if message.run is not None}
    for task in range(max(len(runs), markers.decision.tasks)):
        if task not in runs or runs[task].outcome == EMPTY:
            begin(kept.cluster, name.transactional_id(task), options.transaction_timeout_ms)
    return kept.marker_log(name).read(kept.cluster)


def _may_differ(options: SinkOptions, decision: EpochDecision, before: EpochDecision) -> bool:
    """Each task with rows of the same offsets as before, only that the source has others there now."""
    return options.replay == ANY_ROWS and decision.tasks == before.tasks and decision.has_offsets_of(before)


def _check_rows(options: SinkOptions, run: TaskRun, decision: EpochDecision, before: EpochDecision) -> None:
    if not decision.has_offsets_of(before):
        raise SinkError(
            f"Epoch {run.epoch} of query {run.name.query_id} was written with other offsets than it has now, when "
            f"{decision.rows} rows would be left out: files of its checkpoint were removed, or it is a copy. "
            "Begin a new one."
        )
    if options.replay != ANY_ROWS and before.rows != decision.rows:
        raise SinkError(
            f"Epoch {run.epoch} of query {run.name.query_id} was written with {before.rows} rows and now has "
            f"{decision.rows}, of which none were written. Where its checkpoint was repaired or is a copy, begin a new "
            f"one; where its rows depend on chance, {REPLAY}={ANY_ROWS} keeps those that were written."
        )


def _check_unwritten(run: TaskRun, decision: EpochDecision, markers: Markers) -> None:
    if not markers.written_tasks(run.epoch):
        return
    before, now = markers.decision, f"is now run in {decision.tasks}"
    if before.tasks == decision.tasks:
        now = f"its {before.rows} rows are now {decision.rows}, or cut in another way"
    raise SinkError(
        f"Epoch {run.epoch} of query {run.name.query_id} was partly written in {before.tasks} tasks and {now}: which "
        f"rows are missing cannot be told. Run it with {before.tasks} tasks and on as many cores as before."
    )


def _offsets_digest(options: Mapping[str, str], epoch: int) -> str:
    """Which offsets of its source an epoch has, as a short text: the same in every repetition, another for other rows.
    Empty where the checkpoint is out of reach from here.

    Spark writes them to the checkpoint before an epoch begins, and a repetition reads them from there. So where a
    number comes again with another such file, somebody has removed the first; the rows may tell nothing, as a table or
    a page can have others when it is read again.
    """
    location = next((options[name] for name in _LOCATIONS if options.get(name)), "")
    for scheme in _FILE_SCHEMES:
        location = location.removeprefix(scheme)
    if not location or "://" in location:
        return ""
    try:
        written = Path(location, "offsets", str(epoch)).read_bytes()
    except OSError:
        return ""
    return hashlib.sha256(written).hexdigest()[:16]
