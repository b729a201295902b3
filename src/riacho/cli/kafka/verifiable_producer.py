"""kafka-verifiable-producer: sends increasing numbers and tells what became of each."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from riacho.cli.kafka.events import StopRequest, emit, text
from riacho.cli.kafka.flags.jopt import Arguments
from riacho.cli.kafka.launch import launch
from riacho.cli.kafka.librdkafka import REACH_TIMEOUT_S, client_properties, make_client, reach, translate
from riacho.cli.kafka.throttle import Throttle
from riacho.client.librdkafka.fatal_errors import flush

if TYPE_CHECKING:
    from confluent_kafka import Producer


def main() -> None:
    launch("kafka-verifiable-producer", run)


def run(arguments: Arguments) -> int:
    properties = client_properties(arguments)
    # Every number is sent once and its fate told; a retry behind our back would blur that.
    properties = {"acks": arguments.need("acks"), "retries": "0", **properties}
    from confluent_kafka import Producer

    producer: Producer = make_client(Producer, translate(properties))
    reach(producer, properties, REACH_TIMEOUT_S, arguments.need("topic"))
    return Numbers(producer, arguments, StopRequest()).send()


class Numbers:
    def __init__(self, producer: Producer, arguments: Arguments, stop: StopRequest) -> None:
        self.producer = producer
        self.topic = arguments.need("topic")
        self.stop = stop
        self.limit = arguments.need_number("max-messages")
        self.throughput = arguments.need_number("throughput")
        self.create_time_ms = arguments.need_number("message-create-time")
        self.prefix = arguments.number("value-prefix")
        self.repeating_keys = arguments.number("repeating-keys")
        self.acked = 0

    def send(self) -> int:
        emit("startup_complete")
        started, sent = time.monotonic(), 0
        throttle = Throttle(self.throughput)
        while (self.limit < 0 or sent < self.limit) and not self.stop.made:
            if self.throughput == 0:
                self.producer.poll(0.2)
                continue
            self._send_one(sent)
            sent += 1
            self.producer.poll(0)
            throttle.wait(sent, self.producer.poll)
        flush(self.producer)
        emit("shutdown_complete")
        elapsed_s = max(time.monotonic() - started, 0.001)
        emit(
            "tool_data",
            sent=sent,
            acked=self.acked,
            target_throughput=self.throughput,
            avg_throughput=self.acked / elapsed_s,
        )
        return 0 if self.acked == sent else 1

    def _send_one(self, number: int) -> None:
        value = f"{number}" if self.prefix is None else f"{self.prefix}.{number}"
        key = None if self.repeating_keys is None else f"{number % self.repeating_keys}"
        extra: dict[str, Any] = {}
        if self.create_time_ms >= 0:
            extra["timestamp"] = self.create_time_ms + number
        while True:
            try:
                self.producer.produce(self.topic, value.encode(), key, on_delivery=self._delivered, **extra)
                return
            except BufferError:
                self.producer.poll(0.1)

    def _delivered(self, error: Any, message: Any) -> None:
        key, value = text(message.key()), text(message.value())
        if error is not None:
            emit(
                "producer_send_error",
                key=key,
                value=value,
                message=error.str(),
                exception=error.name(),
                topic=self.topic,
            )
            return
        self.acked += 1
        emit(
            "producer_send_success",
            key=key,
            value=value,
            offset=message.offset(),
            topic=message.topic(),
            partition=message.partition(),
        )
