"""A task's rows into Kafka: plainly, or into a transaction that the driver ends (see `epoch`)."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from itertools import chain

import pyarrow as pa

from riacho.pipelines.sink.columns import read_columns
from riacho.pipelines.sink.encoded_batch import Batch, TopicPartition
from riacho.pipelines.sink.encoder import Encoder, Producer
from riacho.pipelines.sink.marker_topic import marker_partition
from riacho.pipelines.sink.markers import marker_batch, task_marker
from riacho.pipelines.sink.options import SinkOptions
from riacho.pipelines.sink.partitioner import Partitioner
from riacho.pipelines.sink.process_clients import Clients, clients
from riacho.pipelines.sink.sender import Round, Sender, rounds
from riacho.pipelines.sink.task_written import EMPTY, SKIPPED, WRITTEN, TaskRun, TaskWritten
from riacho.pipelines.sink.transaction import Transaction, abort_quietly, add_partitions, begin, idempotent_producer

# So much is encoded at once; as much again is in flight.
_CHUNK_SIZE_BYTES = 8 * 1024 * 1024


def write_at_least_once(options: SinkOptions, batches: Iterable[pa.RecordBatch], task: int) -> TaskWritten:
    found = _with_rows(batches)
    first = next(found, None)
    if first is None:
        return TaskWritten(0, EMPTY)
    kept = clients(options)
    # Numbered batches need the acknowledgement of all replicas.
    is_idempotent = options.acks == -1
    producer = Producer(*(idempotent_producer(kept.cluster) if is_idempotent else (-1, -1)), False)
    kept.begin_task()
    sender = Sender(kept.sending_leaders, options, None)
    try:
        rows, last = _write(options, kept, producer, sender, None, chain((first,), found), task)
        sender.send(last)
        sender.flush()
    except BaseException:
        sender.close()
        kept.forget_leaders()
        raise
    sender.close()
    return TaskWritten(rows, WRITTEN)


def write_in_transaction(options: SinkOptions, batches: Iterable[pa.RecordBatch], run: TaskRun) -> TaskWritten:
    """Fence first, look second: only then is it certain that no earlier attempt can still write its marker."""
    found = _with_rows(batches)
    first = next(found, None)
    if first is None:
        # An earlier attempt at it had no rows either, so there is nothing to fence.
        return TaskWritten(0, EMPTY, run)
    kept = clients(options)
    log = kept.marker_log(run.name)
    transaction = begin(kept.cluster, run.name.transactional_id(run.task), options.transaction_timeout_ms)
    if log.read(kept.cluster).is_written(run.task, run.epoch):
        rows = first.num_rows + sum(batch.num_rows for batch in found)
        return TaskWritten(rows, SKIPPED, run)
    producer = Producer(transaction.producer_id, transaction.producer_epoch, True)
    kept.begin_task()
    sender = Sender(kept.sending_leaders, options, transaction.transactional_id)
    try:
        opened = OpenTransaction(kept, transaction, marker_partition(run.name))
        rows, last = _write(options, kept, producer, sender, opened, chain((first,), found), run.task)
        marker = task_marker(run.name, run.task, run.epoch, rows)
        now_ms = int(time.time() * 1000)
        data = marker_batch(marker, transaction.producer_id, transaction.producer_epoch, now_ms)
        if opened.marker_partition in last:
            sender.send(last)
            last = {}
        # It may reach the log before the rows beside it do, or without them: all of it counts when it is committed.
        sender.send(last | {opened.marker_partition: Batch(opened.marker_partition, data, 1)})
        sender.flush()
    except BaseException:
        sender.close()
        kept.forget_leaders()
        abort_quietly(kept.cluster, transaction)
        raise
    sender.close()
    return TaskWritten(rows, WRITTEN, run, transaction)


class OpenTransaction:
    """Which partitions are in it already. The marker's is added with the first ones, which saves a request."""

    def __init__(self, kept: Clients, transaction: Transaction, marker_partition: TopicPartition) -> None:
        self._kept = kept
        self._transaction = transaction
        self.marker_partition = marker_partition
        self._added: set[TopicPartition] = set()

    def add(self, topic_partitions: Iterable[TopicPartition]) -> None:
        new = {self.marker_partition, *topic_partitions} - self._added
        if new:
            add_partitions(self._kept.cluster, self._transaction, sorted(new), self._learn_again)
            self._added |= new

    def _learn_again(self, topic: str) -> None:
        """Asking makes a topic where the brokers are set so, and that of the markers has to be made in its own way."""
        if topic != self.marker_partition.topic:
            self._kept.leaders.learn_again(topic)


def _write(
    options: SinkOptions,
    kept: Clients,
    producer: Producer,
    sender: Sender,
    opened: OpenTransaction | None,
    batches: Iterable[pa.RecordBatch],
    task: int,
) -> tuple[int, Round]:
    """How many rows, and the last round of them, which is still to be sent; the one before is still under way."""
    partitioner = Partitioner(kept.leaders.count, options.topic, first=task)
    encoder = Encoder(
        producer,
        batch_size_bytes=options.batch_size_bytes,
        record_size_bytes_max=options.request_size_bytes_max,
        codec=options.codec,
        level=options.compression_level,
    )
    last: Round = {}
    rows = 0
    for batch in batches:
        for chunk in _chunks(batch):
            columns = read_columns(chunk, options.topic)
            for round_ in rounds(encoder.encode(columns, *partitioner.partition(columns))):
                if last:
                    sender.send(last)
                if opened is not None:
                    opened.add(round_)
                last = round_
        rows += batch.num_rows
    return rows, last


def _with_rows(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    return (batch for batch in batches if batch.num_rows)


def _chunks(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Pieces of about the same size, so that what is held in memory is bounded."""
    pieces = min(batch.num_rows, batch.nbytes // _CHUNK_SIZE_BYTES + 1)
    rows = -(-batch.num_rows // pieces)
    for start in range(0, batch.num_rows, rows):
        yield batch.slice(start, rows)
