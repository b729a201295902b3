"""What a reader of committed records finds in a topic, read by confluent-kafka up to the end."""

from __future__ import annotations

from typing import Any

from confluent_kafka import Consumer, Message, TopicPartition

_PATIENCE_S = 180.0


def committed(bootstrap: str, topic: str, partitions: int = 1) -> list[Message]:
    """All of them by partition and offset. Where a transaction is left open, that is the end of its partition."""
    config: dict[str, Any] = {
        "bootstrap.servers": bootstrap,
        "group.id": "reader",
        "enable.partition.eof": True,
        "isolation.level": "read_committed",
    }
    consumer = Consumer(config)
    consumer.assign([TopicPartition(topic, index, 0) for index in range(partitions)])
    found: list[Message] = []
    ended: set[int | None] = set()
    try:
        while len(ended) < partitions:
            message = consumer.poll(_PATIENCE_S)
            assert message is not None, f"the end of {topic} cannot be read"
            if message.error():
                ended.add(message.partition())
            else:
                found.append(message)
    finally:
        consumer.close()
    return sorted(found, key=lambda m: (m.partition(), m.offset()))


def text(data: bytes | None) -> str:
    return (data or b"").decode()
