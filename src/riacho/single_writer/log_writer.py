"""Writes the log: one transaction for each decision, by a producer that fences and can be fenced.

What a failure means depends on how far the transaction came, and this is the one place that knows:

- before the commit was asked for, nothing was written and never will be: without that request the transaction is
  aborted, by us, by whoever fences us, or by its timeout;
- once it was asked for, a failure says nothing. Even "fenced" may be the answer to a second asking, after the first one
  was heard. So all of them are `OutcomeUnknown`, and the next `open` settles it for the log: init_transactions returns
  only when the transaction is complete, one way or the other.

All calls block and belong to one thread.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NoReturn

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from riacho.single_writer.errors import LogError, LogTimeout, OutcomeUnknown, RecordTooLarge, ReplicatedLogError
from riacho.single_writer.record import Append
from riacho.web.kafka_client import make_client

_logger = logging.getLogger("riacho.single_writer")
_FENCING = (KafkaError._FENCED, KafkaError.INVALID_PRODUCER_EPOCH, KafkaError.PRODUCER_FENCED)
_TOO_LARGE = (KafkaError.MSG_SIZE_TOO_LARGE, KafkaError.RECORD_LIST_TOO_LARGE)


class Fenced(Exception):
    """Another instance has the transactional id now. Nothing was written."""


class LogWriter:
    def __init__(self, topic: str, settings: dict[str, Any]) -> None:
        self._topic = topic
        self._settings = settings
        self._producer: Producer | None = None

    @property
    def is_open(self) -> bool:
        """Closed again by every failure that leaves the producer in doubt."""
        return self._producer is not None

    def open(self, timeout_s: float) -> None:
        """Fence all others. When it returns, whatever they had begun is committed or aborted."""
        self.close()
        try:
            self._open(time.monotonic() + timeout_s)
        except Exception as error:
            raise _without_trace(error)  # noqa: B904

    def _open(self, deadline_s: float) -> None:
        producer = make_client(Producer, self._settings)
        while True:
            try:
                producer.init_transactions(max(deadline_s - time.monotonic(), 0.1))
            except KafkaException as error:
                if error.args[0].retriable() and time.monotonic() < deadline_s:
                    continue
                raise _as_log_error(error.args[0], "The transactional producer could not be started") from None
            self._producer = producer
            return

    def close(self) -> None:
        producer, self._producer = self._producer, None
        if producer is not None:
            # Not sent yet means never: a transaction that nobody commits is none.
            with suppress(KafkaException):
                producer.purge()

    def write(self, records: Sequence[Append], timeout_s: float) -> int:
        """The offset of the last one. Fenced, LogError, LogTimeout: nothing was written. OutcomeUnknown: maybe."""
        try:
            return self._write(records, time.monotonic() + timeout_s)
        except (Fenced, ReplicatedLogError) as error:
            raise _without_trace(error)  # noqa: B904
        except Exception:
            # Whatever the client library throws: a producer in an unknown state is not used again.
            self.close()
            _logger.exception("write failed topic=%s", self._topic)
            raise OutcomeUnknown("The change failed in an unforeseen way; it may or may not have been made.") from None

    def _write(self, records: Sequence[Append], deadline_s: float) -> int:
        producer = self._producer
        if producer is None:
            raise Fenced
        offset = self._send(producer, records, deadline_s)
        self._commit(producer, deadline_s)
        if offset < 0:
            self.close()
            raise OutcomeUnknown("The change was made, but Kafka did not say where. Look before trying again.")
        return offset

    def _send(self, producer: Producer, records: Sequence[Append], deadline_s: float) -> int:
        reports: list[tuple[KafkaError | None, int]] = []

        def delivered(error: KafkaError | None, message: Message) -> None:
            offset = message.offset() if error is None else None
            reports.append((error, -1 if offset is None else offset))

        try:
            producer.begin_transaction()
            for record in records:
                producer.produce(self._topic, record.value, record.key, partition=0, on_delivery=delivered)
            waiting = producer.flush(max(deadline_s - time.monotonic(), 0.0))
        except KafkaException as error:
            self._abort(producer, error.args[0], deadline_s)
        except SystemError:
            # The client library throws a fatal error, such as being fenced, into the callback that runs next.
            self.close()
            raise Fenced from None
        except BufferError:
            self._abort(producer, KafkaError(KafkaError._QUEUE_FULL), deadline_s)
        if waiting:
            self.close()
            raise LogTimeout("The log did not take the change in time; nothing was written.")
        for failure, _ in reports:
            if failure is not None:
                self._abort(producer, failure, deadline_s)
        # Sent one after the other, so reported in that order; -1 when a repeated request had been heard before.
        return reports[-1][1]

    def _abort(self, producer: Producer, error: KafkaError, deadline_s: float) -> NoReturn:
        """A producer whose abort went through may be used again. One that cannot go on is as good as fenced."""
        try:
            producer.abort_transaction(max(deadline_s - time.monotonic(), 1.0))
        except KafkaException as refused:
            self.close()
            if error.fatal() or refused.args[0].fatal():
                _logger.warning("producer cannot go on topic=%s reason=%s", self._topic, refused.args[0].str())
                raise Fenced from None
        raise _as_log_error(error, "The log refused the change; nothing was written")

    def _commit(self, producer: Producer, deadline_s: float) -> None:
        while True:
            try:
                producer.commit_transaction(max(deadline_s - time.monotonic(), 0.1))
            except KafkaException as failure:
                error: KafkaError = failure.args[0]
                if error.retriable() and time.monotonic() < deadline_s:
                    continue
                self.close()
                _logger.warning("outcome of a write unknown topic=%s reason=%s", self._topic, error.str())
                raise OutcomeUnknown(
                    "Kafka did not confirm the change; it may or may not have been made. Look before trying again."
                ) from None
            return


def _as_log_error(error: KafkaError, what: str) -> Exception:
    if error.code() in _FENCING:
        return Fenced()
    if error.code() in (KafkaError._TIMED_OUT, KafkaError._MSG_TIMED_OUT):
        return LogTimeout(f"{what}: no answer in time.")
    kind = RecordTooLarge if error.code() in _TOO_LARGE else LogError
    return kind(f"{what}: {error.str()}.")


def _without_trace(error: Exception) -> Exception:
    """A trace would keep the producer alive until the event loop drops it, and then the loop would wait for the end of
    the producer's threads."""
    error.__context__ = None
    return error.with_traceback(None)
