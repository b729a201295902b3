"""What a consumer has, as soon as it has something: `consume` by itself waits for its whole timeout to fill a batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from confluent_kafka import Consumer, Message


def received(consumer: Consumer, messages_max: int, timeout_s: float) -> list[Message]:
    first = consumer.poll(timeout_s)
    return [] if first is None else [first, *consumer.consume(messages_max - 1, 0)]
