"""Sends records one after another and learns where each one went."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from riacho.base.errors import ErrorCode, KafkaError
from riacho.cli.librdkafka_client import Settings, has_topic, make_producer, refused
from riacho.cli.record_text import NewRecord
from riacho.cli.target import Target
from riacho.cli.too_large import for_the_client, for_the_topic, is_too_large
from riacho.client.librdkafka.fatal_errors import flush

# Told of each delivered record: its partition and its offset.
Delivered = Callable[[int, int], None]


class RecordSender:
    """Deliveries are told in the order in which the broker took them. The first one that fails ends the work."""

    def __init__(
        self, target: Target, topic: str, on_delivered: Delivered | None = None, *, is_idempotent: bool = True
    ) -> None:
        self._topic = topic
        self._on_delivered = on_delivered
        self.count = 0
        self._failure: KafkaError | None = None
        # Brokers make topics that are written to, unless their settings forbid it.
        self.is_new_topic = not has_topic(target, topic)
        # Without idempotence one request at a time keeps the order, and acks=all waits as long.
        careful: Settings = {"enable.idempotence": False, "acks": "all", "max.in.flight": 1}
        self._producer = make_producer(target, None if is_idempotent else careful)

    def send(self, record: NewRecord) -> None:
        fields: dict[str, Any] = {"key": record.key, "headers": list(record.headers), "on_delivery": self._on_delivery}
        if record.partition is not None:
            fields["partition"] = record.partition
        if record.timestamp_ms is not None:
            fields["timestamp"] = record.timestamp_ms
        while True:
            try:
                self._produce(record, fields)
                break
            except BufferError:
                # The queue is full: wait until the broker has taken some of it.
                self._producer.poll(0.1)
                self._check()
        self._producer.poll(0)
        self._check()

    def _produce(self, record: NewRecord, fields: dict[str, Any]) -> None:
        from confluent_kafka import KafkaException

        try:
            self._producer.produce(self._topic, record.value, **fields)
        except KafkaException as error:
            if not is_too_large(error.args[0]):
                raise
            problem = for_the_client(len(record.key or b"") + len(record.value or b""))
            raise KafkaError(ErrorCode.MESSAGE_TOO_LARGE, f"It cannot be sent: {problem}.") from None

    def finish(self) -> int:
        """Wait until all are delivered; how many there were. `count` says how many are."""
        from confluent_kafka import KafkaException

        try:
            while flush(self._producer, 1.0):
                self._check()
        except KafkaException as error:
            self._producer.purge()
            raise self._refusal(error.args[0]) from None
        self._check()
        return self.count

    def _on_delivery(self, error: Any, message: Any) -> None:
        if error is None:
            self.count += 1
            if self._on_delivered is not None:
                self._on_delivered(message.partition(), message.offset())
        elif self._failure is None:
            self._failure = self._refusal(error)

    def _refusal(self, error: Any) -> KafkaError:
        what = f"A record for {self._topic} was not taken"
        if is_too_large(error):
            return KafkaError(ErrorCode.MESSAGE_TOO_LARGE, f"{what}: {for_the_topic(self._topic)}.")
        return refused(error, what)

    def _check(self) -> None:
        if self._failure is not None:
            self._producer.purge()
            raise self._failure
