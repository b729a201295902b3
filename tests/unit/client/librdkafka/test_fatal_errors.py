"""A producer that a fatal error ends while its records are waited for."""

from __future__ import annotations

from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException, Producer

from riacho.client.librdkafka.fatal_errors import flush
from support.guarded_topic import TOPIC, guarded_topic

TIMEOUT_S = 30.0


def test_a_fatal_error_is_told_whatever_callback_it_came_into() -> None:
    def delivered(error: KafkaError | None, message: Any) -> None:
        message.key()

    with guarded_topic() as guarded:
        producer = Producer({**guarded.client, "enable.idempotence": True, "error_cb": lambda error: None})
        for _ in range(100):
            producer.produce(TOPIC, b"refused", on_delivery=delivered)
        with pytest.raises(KafkaException) as ended:
            flush(producer, TIMEOUT_S)
    assert ended.value.args[0].code() == KafkaError.CLUSTER_AUTHORIZATION_FAILED


def test_other_errors_are_what_they_are() -> None:
    class Broken:
        def flush(self) -> int:
            raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        flush(Broken())  # type: ignore[arg-type]
