"""A member of a consumer group that remembers what it was given and what it read since."""

from __future__ import annotations

from typing import Any

from riacho.cli.librdkafka_client import Settings, make_consumer
from riacho.cli.record_reader import text_record
from riacho.cli.record_text import TextRecord
from riacho.cli.target import Target


class GroupMember:
    """Reads only while it is polled. A new assignment starts its list anew: it reads again what was not committed."""

    def __init__(self, target: Target, group: str, topic: str, client_id: str) -> None:
        self.client_id = client_id
        self.partitions: list[int] = []
        self.records: list[TextRecord] = []
        settings: Settings = {
            "client.id": client_id,
            "auto.offset.reset": "earliest",
            "enable.partition.eof": False,
            # The default is three seconds: so long would the first member not notice that a second one came.
            "heartbeat.interval.ms": 200,
            "session.timeout.ms": 6_000,
        }
        self._consumer = make_consumer(target, group, settings)
        self._consumer.subscribe([topic], on_assign=self._on_assign, on_revoke=self._on_revoke)

    def poll(self, timeout_s: float) -> None:
        message = self._consumer.poll(timeout_s)
        if message is not None and message.error() is None:
            self.records.append(text_record(message))

    def commit(self) -> None:
        """Everything that this member has read, and wait until the broker has it."""
        if self.records:
            self._consumer.commit(asynchronous=False)

    def close(self) -> None:
        self._consumer.close()

    def _on_assign(self, consumer: Any, places: list[Any]) -> None:
        self.partitions = sorted(place.partition for place in places)
        self.records.clear()

    def _on_revoke(self, consumer: Any, places: list[Any]) -> None:
        self.partitions = []
