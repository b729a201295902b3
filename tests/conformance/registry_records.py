"""Records through a real topic with confluent-kafka's serializers: what goes in, and the message that comes out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from confluent_kafka import Message
from confluent_kafka.serialization import MessageField, SerializationContext

from conformance import confluent

Serde = Callable[[Any, SerializationContext], Any]


def send(bootstrap: str, topic: str, serializer: Serde, *values: Any, is_key: bool = False) -> None:
    """Each value as a record of its own; a serializer that writes the schema's id into a header gets the header."""
    field = MessageField.KEY if is_key else MessageField.VALUE
    records = []
    for value in values:
        headers: list[tuple[str, bytes]] = []
        data = serializer(value, SerializationContext(topic, field, headers))
        records.append({field: data, "headers": headers})
    confluent.produce(bootstrap, topic, records)


def messages(bootstrap: str, topic: str, count: int) -> list[Message]:
    return confluent.read_all(bootstrap, topic, count)


def receive(bootstrap: str, topic: str, deserializer: Serde, count: int = 1, is_key: bool = False) -> list[Any]:
    field = MessageField.KEY if is_key else MessageField.VALUE
    return [
        deserializer(
            message.key() if is_key else message.value(), SerializationContext(topic, field, message.headers() or [])
        )
        for message in messages(bootstrap, topic, count)
    ]
