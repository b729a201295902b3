"""Reads the log into the state: a thread that fetches, and the event loop that applies, in the log's order.

At most one batch is under way between the two, so a state that is slow slows the fetching and nothing piles up.

`position` is where the state stands: everything committed before it was applied. It moves with each record and, past
markers, aborted writes and what compaction removed, with the client's end-of-partition event, which tells where the
reading stands and not where the last record was.

When the log is cut or begins anew (deleted, truncated by an unclean election, records deleted past our position), what
was applied may be gone from it: the state is cleared and the log read from its beginning.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from contextlib import suppress
from typing import Any, Protocol

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Message, TopicPartition

from riacho.client.librdkafka.receiving import received
from riacho.single_writer.consumer_thread import ConsumerThread
from riacho.single_writer.errors import LogError, LogTimeout
from riacho.single_writer.record import LogRecord
from riacho.single_writer.state import ReplicatedState
from riacho.web.kafka_client import make_client

_logger = logging.getLogger("riacho.single_writer")
_POLL_S = 0.1
_BATCH_MAX = 500
_LOST = frozenset({KafkaError._AUTO_OFFSET_RESET, KafkaError._LOG_TRUNCATION, KafkaError.OFFSET_OUT_OF_RANGE})


class Listener(Protocol):
    """Told on the event loop's thread."""

    def log_lost(self) -> None: ...


class LogReader:
    def __init__(
        self, topic: str, settings: dict[str, Any], state: ReplicatedState, noop_key: bytes | None, listener: Listener
    ) -> None:
        self._topic = topic
        self._settings = settings
        self._state = state
        self._noop_key = noop_key
        self._listener = listener
        self.position = 0
        self._waiting: list[tuple[int, asyncio.Future[None]]] = []
        # What was applied is passed over when it is read again.
        self._thread = ConsumerThread("leadership-reader", topic, self._read, "trouble reading the log")
        self._applied = threading.Event()
        self._must_restart = False

    def start(self) -> None:
        self._thread.start()

    async def stop(self, timeout_s: float) -> None:
        await self._thread.stop(timeout_s)
        self._fail_waiting(LogError("The service is stopping."))

    def restart(self) -> None:
        """Read the log anew: another topic of the same name has taken its place."""
        self._must_restart = True

    async def reached(self, offset: int, timeout_s: float) -> None:
        """Until everything before `offset` is applied; LogTimeout, or LogError when the log was lost meanwhile."""
        if self.position >= offset:
            return
        there: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        entry = (offset, there)
        self._waiting.append(entry)
        try:
            async with asyncio.timeout(timeout_s):
                await there
        except TimeoutError:
            raise LogTimeout("The log could not be read up to its end in time.") from None
        finally:
            if entry in self._waiting:
                self._waiting.remove(entry)

    # The event loop's side

    def _apply(self, batch: list[Message]) -> None:
        for message in batch:
            offset = message.offset()
            if offset is None or offset < self.position:
                continue
            if message.error() is not None:  # the end of the partition: this is the offset that is fetched next
                self.position = offset
                continue
            key = _bytes(message.key())
            if key is None or key != self._noop_key:
                self._apply_record(LogRecord(key, _bytes(message.value()), offset, message.timestamp()[1]))
            self.position = offset + 1
        self._wake()
        self._applied.set()

    def _apply_record(self, record: LogRecord) -> None:
        try:
            self._state.apply(record)
        except Exception:
            # Every instance meets the same record and must come to the same state: past it.
            _logger.exception("record could not be applied topic=%s offset=%d", self._topic, record.offset)

    def _wake(self) -> None:
        for offset, there in self._waiting:
            if offset <= self.position and not there.done():
                there.set_result(None)

    def _clear(self) -> None:
        self.position = 0
        self._state.clear()
        self._fail_waiting(LogError(f"Topic {self._topic} was deleted or cut, and is read anew."))
        self._listener.log_lost()
        self._applied.set()

    def _fail_waiting(self, error: LogError) -> None:
        for _, there in self._waiting:
            if not there.done():
                there.set_exception(error)

    # The thread's side

    def _read(self) -> None:
        """From the beginning of the log until it is lost, or we stop."""
        self._must_restart = False
        consumer = make_client(Consumer, self._settings)
        try:
            consumer.assign([TopicPartition(self._topic, 0, OFFSET_BEGINNING)])
            last_error = None
            while not self._thread.is_stopping:
                batch = received(consumer, _BATCH_MAX, _POLL_S)
                lost = self._must_restart
                events = []
                for message in batch:
                    error = message.error()
                    if error is None or error.code() == KafkaError._PARTITION_EOF:
                        events.append(message)
                        last_error = None
                    elif error.code() in _LOST:
                        lost = True
                        break
                    elif error.code() != last_error:
                        last_error = error.code()
                        _logger.warning("trouble reading the log topic=%s reason=%s", self._topic, error.str())
                if events and not lost:
                    self._hand_over(self._apply, events)
                if lost:
                    _logger.error("log was deleted or cut, read anew topic=%s position=%d", self._topic, self.position)
                    self._hand_over(self._clear)
                    return
        finally:
            with suppress(KafkaException, RuntimeError):
                consumer.close()

    def _hand_over(self, act: Any, *args: Any) -> None:
        self._applied.clear()
        self._thread.tell(act, *args)
        while not self._applied.wait(_POLL_S) and not self._thread.is_stopping:
            pass


def _bytes(value: str | bytes | None) -> bytes | None:
    return value.encode() if isinstance(value, str) else value
