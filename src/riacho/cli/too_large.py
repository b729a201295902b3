"""A record that is too large, in words that say whose limit it met: librdkafka has one name for the client's own and
for the topic's."""

from __future__ import annotations

from typing import Any


def is_too_large(error: Any) -> bool:
    from confluent_kafka import KafkaError

    return bool(error.code() == KafkaError.MSG_SIZE_TOO_LARGE)


def for_the_client(record_size_bytes: int) -> str:
    return (
        f"a record of {record_size_bytes} bytes is more than this client sends: max.request.size is the client's "
        "limit, max.message.bytes the topic's"
    )


def for_the_topic(topic: str) -> str:
    return f"more than topic {topic} takes in a batch: its limit is max.message.bytes"
