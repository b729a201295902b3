"""What an instance asks about the log beside reading it: where it ends, who leads, whether it is still the same topic.

All calls block, with a time limit, and belong to one thread. A client that failed is not asked again: some of those
that lived through the death of a broker wait for it forever.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from confluent_kafka import Consumer, KafkaException, TopicPartition

from riacho.single_writer.errors import LogTimeout
from riacho.web.kafka_client import make_client

T = TypeVar("T")


class LogWatch:
    def __init__(self, topic: str, settings: dict[str, Any]) -> None:
        self._topic = topic
        self._settings = settings
        self._client: Consumer | None = None

    def log_end(self, timeout_s: float) -> int:
        """The last stable offset: whatever a leader has acknowledged lies before it."""
        return self._ask(lambda client: client.get_watermark_offsets(self._place, timeout_s)[1])

    def leader_url(self, timeout_s: float) -> str | None:
        """As the last one who claimed the replicated log wrote it beside its committed offset."""
        place = self._ask(lambda client: client.committed([self._place], timeout_s)[0])
        return place.metadata or None

    @property
    def _place(self) -> TopicPartition:
        return TopicPartition(self._topic, 0)

    def _ask(self, question: Callable[[Consumer], T | None]) -> T:
        if self._client is None:
            self._client = make_client(Consumer, self._settings)
        try:
            answer = question(self._client)
        except KafkaException as error:
            self.close()
            raise LogTimeout(f"Kafka did not tell about topic {self._topic}: {error.args[0].str()}.") from None
        if answer is None:
            self.close()
            raise LogTimeout(f"Kafka did not tell about topic {self._topic} in time.")
        return answer

    def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            with suppress(KafkaException, RuntimeError):
                client.close()
