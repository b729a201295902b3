"""Exactly once: how an epoch's tasks, each with a transaction of its own, come to count once and all.

    task i    InitProducerId for (query, sink, i): fences every earlier attempt at it and settles what that had open
              reads the markers: where one stands for this epoch or a later one, the rows are passed over
              writes the rows and its marker into the transaction, and leaves it open
    driver    InitProducerId for (query, sink, driver): fences every other driver
              reads the markers; writes "this epoch has N tasks", in a transaction of its own
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
    that have no successor, because the epoch now has fewer, are fenced by the new driver (see below).
two drivers on the same checkpoint
    each fences the other's tasks and one of them fails. Both have the same rows for an epoch (Spark's offset log is
    written once), so whichever commits a task commits the same.
a broker is killed while a transaction ends
    the request is repeated, which is harmless; if no answer comes in time the epoch fails with its outcome unknown. The
    next run's InitProducerId waits until the coordinator has settled it, and the marker says how.
the number of tasks changes between two runs of an epoch
    the note says how many there were. The tasks that are no more are fenced; if any marker of this epoch stands then,
    its rows may now be in other tasks, and the epoch is refused in one sentence, unless all its markers do: then it was
    written as a whole, and what the new tasks wrote is aborted. If none stands, the epoch is written as it is now cut.
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

import time
from collections.abc import Sequence

from pyspark.sql.datasource import WriterCommitMessage

from riacho.pipelines.sink.encoder import Batch
from riacho.pipelines.sink.errors import SinkError
from riacho.pipelines.sink.marker_topic import marker_place
from riacho.pipelines.sink.markers import Decision, Markers, decision_marker, marker_batch
from riacho.pipelines.sink.options import SinkOptions
from riacho.pipelines.sink.process_clients import Clients, clients
from riacho.pipelines.sink.sender import Sender
from riacho.pipelines.sink.task import EMPTY, TaskRun, TaskWritten
from riacho.pipelines.sink.transaction import abort_quietly, add_partitions, begin, end

_DRIVER = "driver"


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
    decision = Decision(run.epoch, len(messages), sum(message.outcome != EMPTY for message in written))
    if markers.decision.epoch == run.epoch and markers.decision.tasks != decision.tasks:
        markers = _fence_missing(options, kept, run, decision, markers)
        if markers.is_complete(run.epoch):
            abort_epoch(options, messages)
            return
        _check_unwritten(run, decision, markers)
    if not opened:
        return
    if markers.decision.epoch > run.epoch:
        raise SinkError(
            f"Epoch {run.epoch} of query {run.name.query_id} comes after epoch {markers.decision.epoch}: "
            "another driver is at work on the same checkpoint."
        )
    if markers.decision != decision:
        place = marker_place(run.name)
        add_partitions(kept.cluster, driver, [place])
        record = decision_marker(run.name, decision)
        data = marker_batch(record, driver.producer_id, driver.producer_epoch, int(time.time() * 1000))
        sender = Sender(kept.sending, options, driver.transactional_id)
        try:
            sender.send({place: Batch(place, data, 1)})
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


def _fence_missing(options: SinkOptions, kept: Clients, run: TaskRun, decision: Decision, markers: Markers) -> Markers:
    """The markers, when no task of the earlier run can write or commit any more."""
    for task in range(decision.tasks, markers.decision.tasks):
        begin(kept.cluster, run.name.transactional_id(task), options.transaction_timeout_ms)
    return kept.marker_log(run.name).read(kept.cluster)


def _check_unwritten(run: TaskRun, decision: Decision, markers: Markers) -> None:
    tasks = markers.written_tasks(run.epoch)
    if tasks:
        raise SinkError(
            f"Epoch {run.epoch} of query {run.name.query_id} was partly written in {markers.decision.tasks} tasks "
            f"and is now run in {decision.tasks}: which rows are missing cannot be told. Run it with "
            f"{markers.decision.tasks} tasks as before."
        )
