"""Rows that statements insert: one idempotent producer, each row confirmed by the brokers before it is answered."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.codec import Codec, CodecError, Row
from riacho.web.kafka_client import make_client

_POLL_S = 0.05


class Inserter:
    """`start` begins to hear what became of rows. At most `waiting_max` are under way: more are refused."""

    def __init__(self, client: Mapping[str, Any], waiting_max: int = 10_000) -> None:
        self._producer = make_client(Producer, {**client, "enable.idempotence": True, "linger.ms": 0})
        self._waiting_max = waiting_max
        self._waiting = 0
        self._polling: asyncio.Task[None] | None = None

    async def insert(
        self, topic: str, key: tuple[Codec, Row | None], value: tuple[Codec, Row | None], timestamp_ms: int | None
    ) -> None:
        """KsqlError where it cannot be encoded, or the brokers do not take it."""
        try:
            key_bytes, value_bytes = key[0].encode(key[1]), value[0].encode(value[1])
        except CodecError as error:
            raise KsqlError(f"Failed to insert values: {error}.") from None
        if self._waiting >= self._waiting_max:
            raise KsqlError("Too many rows are being inserted already; try again later.")
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()

        def delivered(error: KafkaError | None, _message: Message) -> None:
            loop.call_soon_threadsafe(_settle, done, error)

        more: dict[str, Any] = {} if timestamp_ms is None else {"timestamp": timestamp_ms}
        try:
            self._producer.produce(topic, value=value_bytes, key=key_bytes, on_delivery=delivered, **more)
        except (KafkaException, BufferError) as error:
            raise KsqlError(f"Failed to insert values: {error}.") from None
        self._waiting += 1
        if self._polling is None or self._polling.done():
            self._polling = asyncio.create_task(self._poll(), name="ksql-insert-poll")
        try:
            await done
        finally:
            self._waiting -= 1

    async def _poll(self) -> None:
        """While rows are under way."""
        while self._waiting:
            await asyncio.to_thread(self._producer.poll, _POLL_S)

    async def close(self) -> None:
        await asyncio.to_thread(self._producer.flush, 5.0)


def _settle(done: asyncio.Future[None], error: KafkaError | None) -> None:
    if done.done():
        return
    if error is None:
        done.set_result(None)
    else:
        done.set_exception(KsqlError(f"Failed to insert values: {error.str()}."))
