"""A service's producer that outlives fatal errors: after one an idempotent producer takes nothing more, for ever.

    producer = LastingProducer(lambda: make_client(Producer, settings))
    producer.renew()                          # before each piece of work: another one follows where the last has ended
    producer.current.produce(...)             # KafkaException: `refusal` says what it comes from
    producer.take_reports()                   # now and then, on the same thread

That its user may not write is such an error, too: it must neither end the service nor outlast the right being granted.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import monotonic

from confluent_kafka import KafkaError, KafkaException, Producer

from riacho.base.config import ConfigError
from riacho.client.librdkafka.fatal_errors import is_fatal

_log = logging.getLogger("riacho.web")
# A user without the right to write ends each producer at once; its calls are not to make one each.
_RENEWED_AFTER_S = 1.0


class LastingProducer:
    """`ended_by` says what ended `current`; ConfigError when not even the first can be made."""

    def __init__(self, make: Callable[[], Producer], clock: Callable[[], float] = monotonic) -> None:
        self._make = make
        self._clock = clock
        self.current = make()
        self.ended_by: KafkaError | None = None
        self._renewed_at = -_RENEWED_AFTER_S
        self._retired: list[Producer] = []

    def renew(self) -> None:
        if self.ended_by is None or self._clock() < self._renewed_at + _RENEWED_AFTER_S:
            return
        self._renewed_at = self._clock()
        try:
            fresh = self._make()
        except ConfigError as error:
            _log.error("no producer follows the one that a fatal error ended reason=%s", error)
            return
        _log.info("another producer follows the one that a fatal error ended")
        self._retired.append(self.current)
        self.current, self.ended_by = fresh, None

    def refusal(self, error: KafkaException) -> KafkaError:
        """Why `produce` of the current one raised."""
        reason: KafkaError = error.args[0]
        if not is_fatal(error):
            return reason
        # `produce` says no more than that there was a fatal error; `poll` says which.
        self._take_reports(self.current)
        return self._ended(reason)

    def reason(self, failure: KafkaError) -> KafkaError:
        """Why a record was not delivered: what a producer had not sent when it ended, it only says to be purged."""
        is_consequence = failure.code() in (KafkaError._PURGE_QUEUE, KafkaError._FATAL)
        return self.ended_by if is_consequence and self.ended_by is not None else failure

    def take_reports(self) -> None:
        """Those replaced still owe reports for what they had taken."""
        self._take_reports(self.current)
        if self._retired:
            for producer in self._retired:
                self._take_reports(producer)
            self._retired = [producer for producer in self._retired if len(producer)]

    def purge(self) -> None:
        """What is still on its way is reported as not delivered."""
        for producer in (self.current, *self._retired):
            producer.purge()
            self._take_reports(producer)
        self._retired.clear()

    def _take_reports(self, producer: Producer) -> None:
        """It is here that confluent-kafka raises what ended a producer, once, before the reports that follow it."""
        try:
            producer.poll(0)
        except KafkaException as error:
            if producer is self.current:
                self._ended(error.args[0])

    def _ended(self, reason: KafkaError) -> KafkaError:
        """The first reason given is the true one."""
        if self.ended_by is None:
            self.ended_by = reason
        return self.ended_by
