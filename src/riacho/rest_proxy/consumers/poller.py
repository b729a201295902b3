"""The thread of one consumer instance. It alone uses the Kafka consumer, and it polls whether anybody asks or not.

Polling goes on in the background, so that a group never waits for a client that is busy elsewhere, and so that records
are there when the client asks. What it polls goes to a bounded buffer. When that is full the thread waits a moment for
the reader; only a reader that stays away has its partitions paused, since librdkafka throws away on a pause what it has
fetched ahead, and would fetch it again. Rebalances are served in both cases.

Other threads talk to it by `call`, which runs between two polls, and through the buffer under its lock. A poll of a
busy instance is short and one of an idle instance longer: nothing else can wake librdkafka for a call.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from time import monotonic
from typing import Any, TypeVar

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from riacho.rest_proxy.consumers.buffer import Batch, Partition, RecordBuffer
from riacho.rest_proxy.kafka_errors import error_of

T = TypeVar("T")
logger = logging.getLogger(__name__)

_BUSY_POLL_S = 0.005
_IDLE_POLL_S = 0.1
_BUSY_FOR_S = 2.0
_FULL_WAIT_S = 0.5
_PAUSED_WAIT_S = 0.1
_BATCH_RECORDS = 2_000
CALLS_MAX = 100
# Of errors that librdkafka reports, those that a reader should get; it gets over the others by itself.
_TOLD = frozenset(
    {
        KafkaError.TOPIC_AUTHORIZATION_FAILED,
        KafkaError.GROUP_AUTHORIZATION_FAILED,
        KafkaError.SASL_AUTHENTICATION_FAILED,
        KafkaError._AUTHENTICATION,
        KafkaError._AUTO_OFFSET_RESET,
        KafkaError._MAX_POLL_EXCEEDED,
        KafkaError._FATAL,
        KafkaError.GROUP_MAX_SIZE_REACHED,
        KafkaError.INVALID_GROUP_ID,
    }
)


class PollerStopped(Exception):
    """The instance is closed or closing."""


class PollerBusy(Exception):
    """Too many calls wait."""


class Poller:
    """`on_change` is called from this thread when records, an assignment or an error came."""

    def __init__(self, name: str, buffer: RecordBuffer, *, auto_commit: bool, on_change: Callable[[], None]) -> None:
        self.buffer = buffer
        self.lock = threading.Condition()
        self.assignment: frozenset[Partition] = frozenset()
        # Assigned at least once since the last subscription.
        self.has_joined = False
        # Those that librdkafka has begun to read: a record came, or the end was seen.
        self.started: set[Partition] = set()
        # Where the reader stands: after what was handed out, or where it was moved to.
        self.positions: dict[Partition, int] = {}
        self.closed: Future[None] = Future()
        self._auto_commit = auto_commit
        self._on_change = on_change
        self._unstored: dict[Partition, int] = {}
        self._error: KafkaError | None = None
        self._calls: deque[tuple[Callable[[Consumer], Any], Future[Any]]] = deque()
        self._is_stopping = False
        self._paused: set[Partition] = set()
        self._revoked: set[Partition] = set()
        self._busy_until = 0.0
        self._consumer: Consumer
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self, consumer: Consumer) -> None:
        self._consumer = consumer
        self._thread.start()

    def stop(self) -> None:
        """`closed` tells when it has left its group."""
        with self.lock:
            self._is_stopping = True
            self.lock.notify_all()

    # For other threads

    def call(self, act: Callable[[Consumer], T]) -> Future[T]:
        """Run it on the thread, between two polls."""
        future: Future[T] = Future()
        with self.lock:
            if self._is_stopping:
                raise PollerStopped()
            if len(self._calls) >= CALLS_MAX:
                raise PollerBusy()
            self._calls.append((act, future))
            self._busy_until = monotonic() + _BUSY_FOR_S
            self.lock.notify_all()
        return future

    def take(self, bytes_max: int) -> Batch:
        with self.lock:
            self._busy_until = monotonic() + _BUSY_FOR_S
            batch = self.buffer.take(bytes_max)
            self.lock.notify_all()
        return batch

    def put_back(self, batch: Batch, kept: int) -> None:
        """All but the first `kept` of a batch."""
        with self.lock:
            self.buffer.put_back(batch.records[kept:], batch)

    def handed_out(self, batch: Batch, positions: dict[Partition, int]) -> None:
        """The reader has the records up to these offsets; unless it was moved, or lost the partition, meanwhile."""
        with self.lock:
            for partition, offset in positions.items():
                if partition in self.assignment and self.buffer.is_current(partition, batch):
                    self.positions[partition] = self._unstored[partition] = offset

    @property
    def has_error(self) -> bool:
        return self._error is not None

    def pop_error(self) -> KafkaError | None:
        """The error that the reader should get, once."""
        with self.lock:
            error, self._error = self._error, None
        return error

    def note_error(self, error: KafkaError) -> None:
        """Also librdkafka's error callback, which comes from within a poll."""
        if error.code() in _TOLD or error.fatal():
            with self.lock:
                self._error = error
            self._on_change()
        else:
            logger.debug("consumer error: %s", error)

    # On the thread, by calls

    def take_assignment(self, partitions: Iterable[Partition], *, forget: bool = False) -> None:
        """The consumer was assigned these by hand; what is buffered of any is read again."""
        with self.lock:
            self.buffer.drop(self.assignment)
            self.assignment = frozenset(partitions)
            self.started.clear()
            kept = {} if forget else {p: o for p, o in self.positions.items() if p in self.assignment}
            self.positions = kept
            self._unstored = {}
            self.has_joined = not forget

    def moved(self, partition: Partition, offset: int) -> None:
        """The reader's position was set."""
        with self.lock:
            self.buffer.drop((partition,))
            self.positions[partition] = self._unstored[partition] = offset

    # The group's rebalances, from within a poll

    def on_assign(self, _: Consumer, partitions: list[TopicPartition]) -> None:
        with self.lock:
            self.assignment |= {(p.topic, p.partition) for p in partitions}
            self.has_joined = True
        self._on_change()

    def on_revoke(self, _: Consumer, partitions: list[TopicPartition]) -> None:
        # librdkafka commits what is stored when this returns.
        self._store_positions()
        gone = {(p.topic, p.partition) for p in partitions}
        # It would still be paused when it comes back.
        self._resume(self._paused & gone)
        self._revoked |= gone
        with self.lock:
            self.buffer.drop(gone)
            self.assignment -= gone
            self.started -= gone
            for partition in gone:
                self.positions.pop(partition, None)
                self._unstored.pop(partition, None)

    # The loop

    def _run(self) -> None:
        try:
            while not self._is_stopping:
                self._run_calls()
                self._store_positions()
                if self.buffer.is_full:
                    self._wait_for_reader()
                else:
                    self._poll()
        except Exception:
            logger.exception("the poller of a consumer instance ended")
        finally:
            self._close()

    def _poll(self) -> None:
        self._resume(self._paused)
        first = self._consumer.poll(_BUSY_POLL_S if monotonic() < self._busy_until else _IDLE_POLL_S)
        if first is None:
            return
        self._revoked.clear()
        # With no time to wait this returns what is there; with time it would wait for all of them.
        rest = self._consumer.consume(min(_BATCH_RECORDS, self.buffer.room), 0)
        if self._revoked:
            rest = [m for m in rest if (m.topic(), m.partition()) not in self._revoked]
            first = None if (first.topic(), first.partition()) in self._revoked else first
        self._add(rest if first is None else [first, *rest])

    def _add(self, messages: list[Message]) -> None:
        good: list[Any] = []
        for message in messages:
            error = message.error()
            if error is None:
                good.append(message)
            elif error.code() == KafkaError._PARTITION_EOF:
                self._note_started((message,))
            else:
                self.note_error(error)
        if good:
            with self.lock:
                self.buffer.add(good)
            self._note_started(good)
            self._on_change()

    def _note_started(self, messages: Iterable[Any]) -> None:
        if len(self.started) < len(self.assignment):
            with self.lock:
                self.started |= {(message.topic(), message.partition()) for message in messages} & self.assignment
            self._on_change()

    def _wait_for_reader(self) -> None:
        with self.lock:
            patience_s = _PAUSED_WAIT_S if self._paused else _FULL_WAIT_S
            if self.lock.wait_for(lambda: not self.buffer.is_full or self._calls or self._is_stopping, patience_s):
                return
        # One that librdkafka has not begun to read goes on until it has: a seek waits for that.
        more = self.started - self._paused
        if more:
            self._paused |= more
            self._consumer.pause([TopicPartition(*partition) for partition in more])
        # Nothing comes while all is paused; rebalances do, and the group's patience with silent members starts anew.
        message = self._consumer.poll(0)
        if message is not None:
            self._add([message])

    def _resume(self, partitions: set[Partition]) -> None:
        if partitions:
            self._consumer.resume([TopicPartition(*partition) for partition in partitions])
            self._paused = self._paused - partitions

    def _run_calls(self) -> None:
        while self._calls:
            act, future = self._calls.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(act(self._consumer))
            except Exception as error:
                future.set_exception(error)

    def _store_positions(self) -> None:
        if not self._unstored:
            return
        with self.lock:
            positions, self._unstored = self._unstored, {}
        if not self._auto_commit:
            return
        try:
            self._consumer.store_offsets(
                offsets=[TopicPartition(topic, number, offset) for (topic, number), offset in positions.items()]
            )
        except KafkaException as error:
            # Lost to another member in this moment; that one reads from the last commit.
            logger.debug("offsets not stored: %s", error_of(error))

    def _close(self) -> None:
        with self.lock:
            self._is_stopping = True
            calls, self._calls = self._calls, deque()
        for _, future in calls:
            if future.set_running_or_notify_cancel():
                future.set_exception(PollerStopped())
        try:
            self._store_positions()
            self._consumer.close()
        except (KafkaException, RuntimeError) as error:
            logger.warning("a consumer did not close well: %s", error)
        finally:
            self.closed.set_result(None)
            self._on_change()
