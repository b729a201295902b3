"""The peers of the REST proxy: confluent-kafka's own producer and consumer, `python -m bench.rest_proxy_peer '<json>'`.

One Python process each, written as the library's documentation does: `produce` for every record with a delivery
callback, `poll` in between; `consume` in batches.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from confluent_kafka import KafkaError, Message, Producer

from bench.librdkafka import consume_rate

_BETWEEN_POLLS = 100


class _Delivered:
    def __init__(self) -> None:
        self.count = 0

    def __call__(self, error: KafkaError | None, _: Message) -> None:
        if error is not None:
            raise RuntimeError(f"a record was not delivered: {error}")
        self.count += 1


def produce_rate(place: dict[str, str], topic: str, values: list[bytes], duration_s: float) -> float:
    """Records delivered a second, with the settings that the proxy's producer has."""
    producer, delivered = Producer({**place, "acks": "all", "enable.idempotence": True}), _Delivered()
    producer.list_topics(topic, 30)
    started = time.perf_counter()
    while time.perf_counter() < started + duration_s:
        for value in values[:_BETWEEN_POLLS]:
            while True:
                try:
                    producer.produce(topic, value, on_delivery=delivered)
                    break
                except BufferError:
                    producer.poll(0.01)
        producer.poll(0)
    if producer.flush(60):
        raise TimeoutError("records were never acknowledged")
    return delivered.count / (time.perf_counter() - started)


def main() -> None:
    wanted: dict[str, Any] = json.loads(sys.argv[1])
    place = {"bootstrap.servers": wanted["bootstrap"]}
    if wanted["kind"] == "produce":
        values = [value.encode() for value in wanted["values"]]
        produce_rate(place, wanted["topic"], values, 0.5)
        cpu_s = time.process_time()
        rate = produce_rate(place, wanted["topic"], values, wanted["duration_s"])
    else:
        cpu_s = time.process_time()
        messages, _, elapsed_s = consume_rate(
            place, wanted["topic"], duration_s=wanted["duration_s"], partitions=wanted["partitions"]
        )
        rate = messages / elapsed_s
    cpu_us = (time.process_time() - cpu_s) * 1e6 / (rate * wanted["duration_s"])
    print(json.dumps({"rate": rate, "cpu_us": cpu_us}))


if __name__ == "__main__":
    main()
