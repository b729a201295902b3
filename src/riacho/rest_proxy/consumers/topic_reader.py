"""Reads partitions of one topic for a stream: no group, no commits, nothing fetched that nobody has room for.

Every method blocks and is called from a worker thread, one at a time: the writer of the stream asks for the next
records when its client has taken the last ones, so a slow client slows down nothing but its own reader.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from riacho.rest_proxy.consumers.buffer import Partition
from riacho.rest_proxy.kafka_errors import api_error, error_of

logger = logging.getLogger(__name__)

_PREFETCH_KIB = 4 * 1024
_BATCH_RECORDS = 500
# What is read at once is in memory several times over while it is put into words and sent.
_BATCH_BYTES = 1 << 20


class TopicReader:
    """`starts`: by partition an offset, or OFFSET_BEGINNING or OFFSET_END."""

    def __init__(self, settings: Mapping[str, Any], starts: Mapping[Partition, int], *, is_following: bool) -> None:
        self._settings = {
            **settings,
            "group.id": "rest-proxy-stream",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            # What was there when it was looked at, and is gone by now.
            "auto.offset.reset": "earliest",
            "queued.max.messages.kbytes": _PREFETCH_KIB,
            "fetch.queue.backoff.ms": 10,
            # That there is no more is known when the broker has waited for more.
            "fetch.wait.max.ms": 500 if is_following else 10,
        }
        self._starts = dict(starts)
        self._consumer: Consumer | None = None
        self._at_end: set[Partition] = set()
        # `close` may come while a read is still on its way.
        self._lock = threading.Lock()

    def open(self) -> None:
        with self._lock:
            self._consumer = Consumer(self._settings)
            self._consumer.assign([TopicPartition(*partition, start) for partition, start in self._starts.items()])

    @property
    def is_at_end(self) -> bool:
        """Every partition was read to where it ended."""
        return len(self._at_end) == len(self._starts)

    def read(self, count_max: int, timeout_s: float) -> list[Message]:
        """Waits for the first; ApiError where Kafka refuses. A partition's end counts as news too."""
        with self._lock:
            if self._consumer is None:
                return []
            first = self._consumer.poll(timeout_s)
            if first is None:
                return []
            more_max = min(_BATCH_RECORDS, count_max, _BATCH_BYTES // max(len(first), 1)) - 1
            rest = self._consumer.consume(more_max, 0) if more_max > 0 else []
        return [message for message in (first, *rest) if self._is_record(message)]

    def _is_record(self, message: Message) -> bool:
        partition = (message.topic() or "", message.partition() or 0)
        error = message.error()
        if error is None:
            self._at_end.discard(partition)
            return True
        if error.code() == KafkaError._PARTITION_EOF:
            self._at_end.add(partition)
        elif error.fatal() or error.code() in (
            KafkaError.TOPIC_AUTHORIZATION_FAILED,
            KafkaError.UNKNOWN_TOPIC_OR_PART,
            KafkaError._UNKNOWN_PARTITION,
        ):
            raise api_error(error)
        else:
            logger.debug("stream error: %s", error)
        return False

    def close(self) -> None:
        with self._lock:
            consumer, self._consumer = self._consumer, None
            if consumer is not None:
                try:
                    consumer.close()
                except (KafkaException, RuntimeError) as error:
                    reason = error_of(error) if isinstance(error, KafkaException) else error
                    logger.warning("a stream's consumer did not close well: %s", reason)
