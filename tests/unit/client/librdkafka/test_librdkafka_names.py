"""Java's names of client settings in librdkafka's."""

from __future__ import annotations

import pytest
from confluent_kafka import Producer

from riacho.client.librdkafka.names import make_client, translate


@pytest.mark.parametrize(
    ("java", "librdkafka"),
    [
        ({"max.request.size": "5000000"}, {"message.max.bytes": "5000000"}),
        ({"fetch.max.wait.ms": "10"}, {"fetch.wait.max.ms": "10"}),
        ({"buffer.memory": "33554432"}, {"queue.buffering.max.kbytes": 32768}),
        ({"max.block.ms": "1"}, {}),
    ],
)
def test_names(java: dict[str, str], librdkafka: dict[str, object]) -> None:
    assert {k: v for k, v in translate(java).items() if k != "log_level"} == librdkafka


def test_a_producer_takes_the_size_that_was_named_in_java_s_words() -> None:
    unknown: list[str] = []
    producer: Producer = make_client(Producer, translate({"max.request.size": "5000000"}), unknown.append)
    producer.produce("orders", bytes(2_000_000))
    assert unknown == []
    producer.purge()
